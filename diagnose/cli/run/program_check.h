/*
 * Checks, before anything is written, that there is a program to start.
 */
#ifndef SD_PROGRAM_CHECK_H
#define SD_PROGRAM_CHECK_H

#include "context/context.h"
#include "launch/program_file.h"

/*
 * Stores the identity of its build in *file. A name containing {n} is a different program at every
 * count, which the launcher checks. 0, or -errno after a message.
 */
int sd_program_check(
	const struct sd_cli *cli, const char *name, const char *cwd, struct sd_program_file *file);

#endif
