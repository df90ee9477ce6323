/*
 * The executable file behind a program's name, and in words why it could not be started.
 */
#ifndef SD_PROGRAM_PATH_H
#define SD_PROGRAM_PATH_H

#include "base/sink.h"

/*
 * The file that execvp() would take for `name`: the PATH of `envp` (the system's default without
 * one) for a name without a slash, else the name itself; a relative one is looked up in `cwd` (NULL
 * = ours), as exec after chdir would. *path is owned by the caller, NULL on failure. 0; -ENOENT,
 * -EACCES, … said with what to do; -ENOMEM.
 */
int sd_program_path_find(const char *name, const char *cwd, char *const *envp, char **path,
	const struct sd_sink *sink);

/* Says why exec of `path` failed with -errno `error`, and what to do about it. */
void sd_program_path_explain(const char *path, int error, const struct sd_sink *sink);

#endif
