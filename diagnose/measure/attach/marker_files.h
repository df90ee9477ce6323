/*
 * What a running program writes by scalediag.h: the files that SCALEDIAG_MARKERS names in the
 * environments of its processes.
 */
#ifndef SD_MARKER_FILES_H
#define SD_MARKER_FILES_H

#include "attach/attached.h"

struct sd_marker_file;

struct sd_marker_files {
	const struct sd_marker_file **file; /* owned, mapped; of each file once, of any bytes */
	size_t n;
};

/* 0, also when there is none yet; -ENOMEM. *f must be closed in every case. */
int sd_marker_files_open(struct sd_marker_files *f, const struct sd_attached *program);
void sd_marker_files_close(struct sd_marker_files *f); /* accepts the zeroed value */

#endif
