/*
 * Whether there is a program to start, before anything is written.
 */
#ifndef SD_PROGRAM_CHECK_H
#define SD_PROGRAM_CHECK_H

#include "context/context.h"
#include "launch/program_file.h"

/*
 * Which build of it is there: *file. A name with {n} in it is another program at every count: the
 * launcher looks at those. 0 or -errno, said.
 */
int sd_program_check(
	const struct sd_cli *cli, const char *name, const char *cwd, struct sd_program_file *file);

#endif
