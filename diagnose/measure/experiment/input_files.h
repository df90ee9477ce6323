/*
 * The files that a program reads: those its arguments name, and those its processes were seen to
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
	int looked;           /* at running processes too */
};

/* Files that arguments name, also behind a '='; relative ones in `cwd` (NULL = ours). 0, -ENOMEM.
 */
int sd_input_files_named(
	struct sd_input_files *in, char *const *argv, size_t argc, const char *cwd);

/* Regular files that the descendants of a process have open for reading or mapped as data at this
 * moment; their standard descriptors do not count. */
void sd_input_files_look(struct sd_input_files *in, pid_t root);

/* Of all of them that are still there: bytes, and what of it is in the page cache. */
struct sd_input_files_cached {
	double bytes;
	size_t files;
	struct sd_value cached; /* share of `bytes`; denied where one of them does not tell */
};
struct sd_input_files_cached sd_input_files_cached(const struct sd_input_files *in);

/* Reads all of them. 0; -EINTR: *stop. A file that cannot be read is left out. */
int sd_input_files_read(const struct sd_input_files *in, const volatile sig_atomic_t *stop);

void sd_input_files_free(struct sd_input_files *in); /* accepts the zeroed value */

#endif
