/*
 * The program to run, looked at before anything is done for it.
 */
#ifndef SD_PROGRAM_H
#define SD_PROGRAM_H

#include "sink.h"

/*
 * Whether `name` can be executed as execvp would from the folder `cwd` (NULL = here): 0, or
 * -ENOENT, -EACCES, … after one message that says what to do. A name with {n} in it is another
 * program at every count and is not looked at: 0.
 */
int sd_program_check(const char *name, const char *cwd, const struct sd_sink *sink);

#endif
