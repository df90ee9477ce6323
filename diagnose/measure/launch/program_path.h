/*
 * Finds the executable file of a program, and explains why it could not be started.
 */
#ifndef SD_PROGRAM_PATH_H
#define SD_PROGRAM_PATH_H

#include "base/sink.h"

/*
 * The file that execvp() would use for `name`: a name without a slash is searched in envp's PATH
 * (or the system default), others are used as they are; relative paths are resolved in `cwd` (NULL
 * = ours), as by exec after chdir. *path is owned by the caller, NULL on failure. 0; -ENOENT,
 * -EACCES, … with a message that says what to do; -ENOMEM.
 */
int sd_program_path_find(const char *name, const char *cwd, char *const *envp, char **path,
	const struct sd_sink *sink);

/* Says why exec of `path` failed with -errno `error`, and what to do about it. */
void sd_program_path_explain(const char *path, int error, const struct sd_sink *sink);

#endif
