/*
 * Files that a running program writes by scalediag.h: those that SCALEDIAG_MARKERS names in the
 * environments of its processes.
 */
#ifndef SD_MARKER_FILES_H
#define SD_MARKER_FILES_H

#include "attach/attached.h"

struct sd_marker_file;

struct sd_marker_files {
	int *fd; /* owned; of each file once */
	size_t n;
	struct sd_marker_file *copy; /* owned; of what was read last */
};

/* 0, also when there is none yet; -ENOMEM. *f must be closed in every case. */
int sd_marker_files_open(struct sd_marker_files *f, const struct sd_attached *program);
/* Its rows as they are now, of any bytes, until the next call; NULL: the program has cut the file.
 * It is read and never mapped: whoever cuts a mapped file kills its readers. */
const struct sd_marker_file *sd_marker_files_rows(struct sd_marker_files *f, size_t i);

/* How long the entries of a row lasted: the file's `lasted` of it. 0; -EIO: the program has cut the
 * file. */
int sd_marker_files_lasted(const struct sd_marker_files *f, size_t i, unsigned row, void *to);

void sd_marker_files_close(struct sd_marker_files *f); /* accepts the zeroed value */

#endif
