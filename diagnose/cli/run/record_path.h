/*
 * The record's file before the first run: its name, and whether it can be written.
 */
#ifndef SD_RECORD_PATH_H
#define SD_RECORD_PATH_H

#include "context/context.h"
#include "output/output_check.h"

/* Minimum space for a record; with less the first run would already be lost. */
#define SD_RECORD_PATH_ROOM (64L * 1024)

/* PROGRAM.scalediag.json in the current folder. The caller frees it; NULL: out of memory. */
char *sd_record_path_name(const char *program);
/* Likewise for a command of n > 0 words, by the script or program behind an interpreter or launcher
 * (program_behind.h). */
char *sd_record_path_of_command(char *const *argv, size_t n, const struct sd_sink *sink);

/*
 * The newest record of the current folder, by when it was written last, for a command that was
 * given none, or none besides `beside` (NULL: none at all), which it is not; says which it is. The
 * caller frees it; NULL after a message: there is none, or no memory.
 */
char *sd_record_path_newest(const char *command, const char *beside, const struct sd_sink *sink);

/*
 * Checks that all of a command's files may be written (sd_output_check()). SD_EXIT_DONE; after a
 * message: SD_EXIT_USAGE: one of the names was badly chosen; SD_EXIT_MEASURE: its place takes no
 * file.
 */
enum sd_exit sd_record_path_check(const struct sd_output_wish *wish, size_t n_wish,
	const struct sd_output_input *input, size_t n_input, const struct sd_sink *sink);

/*
 * Inspects an existing record at `path`: *runs is its number of runs, 0 also if there is none.
 * SD_EXIT_USAGE after a message: this version cannot read it, so it is not replaced.
 */
enum sd_exit sd_record_path_older(const char *path, size_t *runs, const struct sd_sink *sink);

#endif
