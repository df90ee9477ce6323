/*
 * A file that was written here and grows: lines are appended to it while it is still the file at
 * its path.
 */
#ifndef SD_OUTPUT_APPEND_H
#define SD_OUTPUT_APPEND_H

#include <sys/types.h>

#include "output/output_file.h"

/* Zeroed: none. */
struct sd_output_append {
	int is_open, fd;
	enum sd_output_kind kind;
	const char *path; /* borrowed */
	off_t size;       /* as we left it */
	int unsynced;     /* bytes were appended since the last sync */
};

/* Writes the file as sd_output_file_write() does, and keeps it open. For kinds that are no streams.
 */
int sd_output_append_begin(struct sd_output_append *a, const char *path, enum sd_output_kind kind,
	sd_output_file_fn put, const void *data, const struct sd_sink *sink);

/*
 * Appends the bytes in one write. 0; -ESTALE, silently: the file at the path is another one by now,
 * or somebody else has changed its length, and nothing was written; another -errno with one message
 * said, and of the bytes nothing is left in the file as far as it could be shortened again. After
 * an error nothing more is appended: -ESTALE.
 */
int sd_output_append_add(
	struct sd_output_append *a, const char *text, size_t n, const struct sd_sink *sink);

/* Waits until the bytes survive a crash of the machine. 0, or -errno with one message said. */
int sd_output_append_sync(struct sd_output_append *a, const struct sd_sink *sink);

void sd_output_append_end(struct sd_output_append *a); /* leaves the zeroed value; accepts it */

#endif
