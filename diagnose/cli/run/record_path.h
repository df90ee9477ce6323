/*
 * The record's file before the first run: its name, and whether it may and can be written.
 */
#ifndef SD_RECORD_PATH_H
#define SD_RECORD_PATH_H

#include "context/context.h"
#include "output/output_check.h"

/* What a first record needs at least; a disk with less room loses the first run already. */
#define SD_RECORD_PATH_ROOM (64L * 1024)

/* PROGRAM.scalediag.json in the current folder; a fresh string, or NULL without memory. */
char *sd_record_path_name(const char *program);

/*
 * Whether all of a command's files may be written (sd_output_check()), as its status: SD_EXIT_DONE;
 * SD_EXIT_USAGE when one of the names is to be given otherwise, SD_EXIT_MEASURE when its place
 * takes no file; said.
 */
enum sd_exit sd_record_path_check(const struct sd_output_wish *wish, size_t n_wish,
	const struct sd_output_input *input, size_t n_input, const struct sd_sink *sink);

/*
 * The record that is at `path` by now: *runs of it, 0 also when there is none. SD_EXIT_USAGE, said,
 * when it is none that this version could read: it is not replaced.
 */
enum sd_exit sd_record_path_older(const char *path, size_t *runs, const struct sd_sink *sink);

#endif
