/*
 * The progress that a running program reports by scalediag.h (--progress).
 */
#ifndef SD_COUNTER_PROGRESS_H
#define SD_COUNTER_PROGRESS_H

#include "attach/marker_files.h"
#include "attach/work_counter.h"

struct sd_counter_progress {
	struct sd_work_counter counter; /* what it offers */
	struct sd_marker_files files;
	const char *name; /* borrowed */
};

/*
 * Looks for the files that SCALEDIAG_MARKERS names in the environments of the program's processes,
 * and for a counter of that name in them. 0; after a message: -ENOENT: there is no such file or
 * counter yet; -ENOMEM (no message). *c must not move afterwards.
 */
int sd_counter_progress_open(struct sd_counter_progress *c, const struct sd_attached *program,
	const char *name, const struct sd_sink *sink);
void sd_counter_progress_close(struct sd_counter_progress *c); /* accepts the zeroed value */

/* The sum of the counter's slots in a mapped file of any bytes; *found is set to 1 when it is
 * there. */
uint64_t sd_counter_progress_sum(const struct sd_marker_file *file, const char *name, int *found);

#endif
