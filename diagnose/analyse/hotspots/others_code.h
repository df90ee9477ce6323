/*
 * Code that others wrote: the system's, a runtime's, a package's. The user can change what calls
 * it.
 */
#ifndef SD_OTHERS_CODE_H
#define SD_OTHERS_CODE_H

#include "record/stacks.h"

/* Is this path, of a program, a library or a source file, one of theirs? */
int sd_others_code_is(const char *path);

/* Is the frame in such code? */
int sd_others_code_holds(const struct sd_stacks *s, const struct sd_frame *f);

#endif
