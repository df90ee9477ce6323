/*
 * Lines of source around the worst lines of the functions that cost most: read when the program is
 * measured, and found again in the record when a report is made.
 */
#ifndef SD_SOURCE_LINES_H
#define SD_SOURCE_LINES_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "record/record.h"
#include "page/report_style.h"

struct sd_source_lines {
	struct sd_source *source; /* owned; its lines are the record's */
	size_t n;
};

/*
 * For the measuring stage only: analyses the record, reads the lines of every function that a
 * report can show and stores them in the record, in place of those it has. The files are those that
 * the functions name, absolute or from the program's folder. One that is not there, is no regular
 * file, is larger than 16 MiB or is newer than the program it became (or, where that is gone, than
 * the first run) yields only that. 0; -ENODATA: no usable run; another -errno. The record stays a
 * good one in every case.
 */
int sd_source_lines_store(struct sd_record *record, const struct sd_sink *sink);

/*
 * The lines around s->hot, bounded as the record bounds them. A file that ends before that line
 * leaves s->state SD_SOURCE_MISSING and no lines. 0 or -ENOMEM; s stays the caller's.
 */
int sd_source_lines_read(FILE *f, struct sd_source_text *s);

/*
 * What of them a report shows; opens nothing, whatever the record names. 0 or -ENOMEM; *out is to
 * be freed in every case, before the record.
 */
int sd_source_lines_find(const struct sd_record *record, const struct sd_analysis *a, int all,
	struct sd_source_lines *out);
void sd_source_lines_free(struct sd_source_lines *s); /* accepts the zeroed value */

#endif
