/*
 * A file written whole or not at all.
 */
#ifndef SD_ATOMIC_FILE_H
#define SD_ATOMIC_FILE_H

#include <stdio.h>

#include "base/sink.h"

/* Writes `data`; 0, -ENOMEM, -EINVAL, or -EIO when `f` took an error (errno says which). */
typedef int (*sd_atomic_file_fn)(FILE *f, const void *data);

/*
 * Writes to a fresh file in the same folder, syncs it and renames it over `path`: a crash or a full
 * disk at any moment leaves the old file or the new one. A link stays a link. 0 or -errno with one
 * message said ("PATH: cannot write the WHAT: …") and nothing of ours left behind.
 */
int sd_atomic_file_write(const char *path, const char *what, sd_atomic_file_fn put,
	const void *data, const struct sd_sink *sink);

/*
 * Could sd_atomic_file_write() begin to write there? Makes a file of that folder and removes it:
 * what can be said before the measurement should be. 0 or -errno, said.
 */
int sd_atomic_file_check(const char *path, const char *what, const struct sd_sink *sink);

#endif
