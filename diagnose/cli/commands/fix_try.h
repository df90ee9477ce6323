/*
 * Tries changes of the sources: two copies of them are built, one with the changes, and timed in
 * pairs.
 */
#ifndef SD_FIX_TRY_H
#define SD_FIX_TRY_H

#include "commands/timed_pairs.h"
#include "fix/fix_source.h"

/*
 * Builds by `command`, which is split as a shell does and has no input, in copies of the sources'
 * folder below TMPDIR, which are gone afterwards; runs the program of the record there with its
 * arguments and the largest count, and says what the changes gain. SD_EXIT_DONE; SD_EXIT_CHECK:
 * nothing, or the program prints something else; another status after a message: SD_EXIT_USAGE: the
 * program does not lie in the folder, or the command is none; SD_EXIT_PROGRAM: it could not be
 * built or run.
 */
enum sd_exit sd_fix_try(
	const struct sd_cli *cli, const struct sd_fix_sources *s, const char *command);

#endif
