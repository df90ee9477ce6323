/*
 * The temporary folder of a lesson, in which its programs are compiled and diagnosed; deleted
 * afterwards.
 */
#ifndef SD_LESSON_FOLDER_H
#define SD_LESSON_FOLDER_H

#include "base/leftover_note.h"
#include "context/context.h"
#include "learn/lesson.h"
#include "learn/lesson_files.h"

enum { SD_BROKEN, SD_FIXED, SD_VERSIONS };
extern const char *const sd_lesson_folder_version[SD_VERSIONS];

/* Programs that compile and start the ranks of an MPI program. */
#define SD_LESSON_MPI_COMPILER "mpicc"
#define SD_LESSON_MPI_LAUNCHER "mpirun"

struct sd_lesson_folder {
	const struct sd_cli *cli;
	const struct sd_lesson_files *files;
	const struct sd_lesson *lesson;
	char *folder; /* owned; NULL: none yet */
	struct sd_leftover_note note;
};

/*
 * All return SD_EXIT_DONE, or another status after a message; SD_EXIT_INTERRUPTED if the user asked
 * to stop. After open, close must be called even on failure.
 */
enum sd_exit sd_lesson_folder_open(struct sd_lesson_folder *c, const struct sd_cli *cli,
	const struct sd_lesson_files *files, const struct sd_lesson *lesson);
enum sd_exit sd_lesson_folder_compile(const struct sd_lesson_folder *c);

/* Executes `scalediag run` on a version with these arguments (NULL: none), without showing its
 * report. `budget` in seconds; `cores` NULL: powers. The record is at
 * sd_lesson_folder_path(c, version, …).
 */
enum sd_exit sd_lesson_folder_measure(const struct sd_lesson_folder *c, int version,
	const char *args, const char *cores, unsigned budget);
/* Likewise once under the software PMU, with these arguments. */
enum sd_exit sd_lesson_folder_simulate(
	const struct sd_lesson_folder *c, int version, const char *args, unsigned budget);

/* The path of a version's file: ".c", "" (the program), ".json" (the record), ".sim.json". The
 * caller frees it; NULL: out of memory. */
char *sd_lesson_folder_path(const struct sd_lesson_folder *c, int version, const char *suffix);

/* Removes the folder; accepts the zeroed value. */
void sd_lesson_folder_close(struct sd_lesson_folder *c);

/* A file of that text, and the files that the programs are compiled from. 0 or -errno, said. */
int sd_lesson_folder_write(const char *folder, const char *name, const char *text, size_t size,
	const struct sd_sink *sink);
int sd_lesson_folder_write_sources(const char *folder, const struct sd_lesson_files *files,
	const struct sd_lesson *l, const struct sd_sink *sink);

#endif
