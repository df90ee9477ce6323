/*
 * Identifies the build of a program, by properties of its file that change with a rebuild.
 */
#ifndef SD_PROGRAM_FILE_H
#define SD_PROGRAM_FILE_H

#include <stddef.h>

#include "record/record.h"

/* Uses stat(2) and the file's GNU build-id. All are absent if the file is inaccessible, the
 * build-id if it is unreadable or has none, like a script. */
void sd_program_file_read(const char *path, struct sd_program_file *out);

/*
 * 1 with the difference and both values in `how`; 0: no difference; -1: unknown on one side (an
 * older or imported record).
 */
int sd_program_file_differs(const struct sd_program_file *then, const struct sd_program_file *now,
	char *how, size_t size);

/* The program may be known by a link to a file of another name, which is what its maps say: stacks
 * kept from now on have the link's. 0 or -ENOMEM. */
int sd_program_file_call(const struct sd_program *p, struct sd_stacks *s);

#endif
