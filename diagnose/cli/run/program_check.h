/*
 * Checks, before anything is written, that there is a program to start, and counts to run it at.
 */
#ifndef SD_PROGRAM_CHECK_H
#define SD_PROGRAM_CHECK_H

#include "context/context.h"
#include "launch/program_file.h"
#include "record/plan.h"

/*
 * Stores the identity of its build in *file. A name containing {n} is a different program at every
 * count, which the launcher checks. 0, or -errno after a message.
 */
int sd_program_check(
	const struct sd_cli *cli, const char *name, const char *cwd, struct sd_program_file *file);

/*
 * A note on the first argument that only a shell would act on: "|", ">", "&&"; and on the first
 * word in braces that was meant for a number but stands for none, as {cores}, or {ranks} where the
 * counts are of cores (has_shape 0).
 */
void sd_program_check_words(char *const *argv, int has_shape, const struct sd_sink *sink);

/*
 * Counts above the granted CPUs are left out with a note. SD_EXIT_USAGE, said, when that leaves
 * fewer than two: one alone has nothing to be compared with.
 */
enum sd_exit sd_program_check_counts(
	const struct sd_plan *plan, unsigned granted, const struct sd_sink *sink);

#endif
