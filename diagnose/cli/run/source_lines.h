/*
 * Source lines around the costliest lines of the costliest functions: read when the program is
 * measured, and looked up in the record for a report.
 */
#ifndef SD_SOURCE_LINES_H
#define SD_SOURCE_LINES_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "record/record.h"
#include "page/report_style.h"

struct sd_target_trees;

/* How much of what the record has is shown. */
enum sd_source_lines_extent {
	SD_SOURCE_LINES_BRIEF, /* some lines of the first functions */
	SD_SOURCE_LINES_LONG,  /* of every function the lines around its worst one */
	SD_SOURCE_LINES_WHOLE, /* of every function all */
};

struct sd_source_lines {
	struct sd_source *source; /* owned; its lines are the record's */
	size_t n;
};

/*
 * Only for the measuring stage: analyses the record, reads the lines of every function that a
 * report can show, and stores them in the record in place of the old ones. Files are those named by
 * the functions, absolute or relative to the program's folder. A file that is missing, not regular,
 * larger than 16 MiB, not the same to
 * all processes that were met (target_trees.h), or newer than the program (or, if that is gone,
 * than the first run) is only noted as such. 0; -ENODATA: no usable run; another -errno. The record
 * stays valid in every case.
 */
int sd_source_lines_store(
	struct sd_record *record, const struct sd_target_trees *trees, const struct sd_sink *sink);

/*
 * Reads the lines around `from` to `to`, between which s->hot is, within the record's limits: of
 * too many those nearest to s->hot. If the file ends before s->hot,
 * s->state is SD_SOURCE_MISSING and there are no lines. 0 or -ENOMEM; the caller keeps s.
 */
int sd_source_lines_read(FILE *f, unsigned from, unsigned to, struct sd_source_text *s);

/*
 * The lines a report shows, from the record only; opens no file. 0 or -ENOMEM; *out must be freed
 * in every case, before the record.
 */
int sd_source_lines_find(const struct sd_record *record, const struct sd_analysis *a,
	enum sd_source_lines_extent extent, struct sd_source_lines *out);
void sd_source_lines_free(struct sd_source_lines *s); /* accepts the zeroed value */

#endif
