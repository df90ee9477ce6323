/*
 * Finds the program or script that a command line is about: the word behind an interpreter or a
 * launcher, as configs/programs knows them.
 */
#ifndef SD_PROGRAM_BEHIND_H
#define SD_PROGRAM_BEHIND_H

#include <stddef.h>

#include "base/sink.h"

/*
 * The index in argv[0] to argv[n - 1] of the last word that names a program, n > 0: of "mpirun -n 4
 * python3 solve.py" that of "solve.py"; 0 where the first word is no launcher, or nothing is behind
 * it. Reads configs/programs of `dir` (configs.h), which may be missing; a file of it that is
 * unusable is said, and counts as empty.
 */
size_t sd_program_behind(
	const char *const *argv, size_t n, const char *dir, const struct sd_sink *sink);

/* The same by one file's text alone, of `size` bytes and a NUL; 0 also
 * after a message about that. */
size_t sd_program_behind_by(const char *const *argv, size_t n, const char *name, const char *text,
	size_t size, const struct sd_sink *sink);

#endif
