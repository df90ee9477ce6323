/*
 * Lines of source for the report: around the worst lines of the functions that cost most.
 */
#ifndef SD_SOURCE_LINES_H
#define SD_SOURCE_LINES_H

#include "analysis/analysis.h"
#include "page/report_style.h"

struct sd_source_lines {
	struct sd_source *source; /* owned, with its lines */
	size_t n;
};

/*
 * Reads them from the files that the functions name, absolute or from `cwd`. A file that is not
 * there, is no regular file, is larger than 16 MiB or is newer than the program it became (or,
 * where that is gone, than `measured`, s since the epoch) yields only that. 0 or -ENOMEM; *out is
 * to be freed in every case.
 */
int sd_source_lines_read(const struct sd_analysis *a, const char *cwd, double measured, int all,
	struct sd_source_lines *out);
void sd_source_lines_free(struct sd_source_lines *s); /* accepts the zeroed value */

#endif
