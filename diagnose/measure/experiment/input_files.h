/*
 * The files a program reads: those named by its arguments, and those its processes were seen to
 * have open or mapped.
 */
#ifndef SD_INPUT_FILES_H
#define SD_INPUT_FILES_H

#include <signal.h>
#include <sys/types.h>

#include "base/status.h"
#include "base/texts.h"

#define SD_INPUT_FILES_MOST 1000u

struct sd_input_files {
	struct sd_texts path; /* absolute; at most SD_INPUT_FILES_MOST */
	int looked;           /* running processes were inspected, too */
};

/* Adds files named by arguments, also after a '='; relative ones in `cwd` (NULL = ours). 0 or
 * -ENOMEM.
 */
int sd_input_files_named(
	struct sd_input_files *in, char *const *argv, size_t argc, const char *cwd);

/* Adds regular files that descendants of a process now have open for reading or mapped as data,
 * except their standard descriptors. */
void sd_input_files_look(struct sd_input_files *in, pid_t root);

/* The size of all that still exist, and how much of it is in the page cache. */
struct sd_input_files_cached {
	double bytes;
	size_t files;
	struct sd_value cached; /* share of `bytes`; denied if one of them cannot be queried */
};
struct sd_input_files_cached sd_input_files_cached(const struct sd_input_files *in);

/* Reads all of them. 0; -EINTR: *stop. Unreadable files are skipped. */
int sd_input_files_read(const struct sd_input_files *in, const volatile sig_atomic_t *stop);

void sd_input_files_free(struct sd_input_files *in); /* accepts the zeroed value */

#endif
