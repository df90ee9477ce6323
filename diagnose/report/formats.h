/*
 * The formats a report can be printed in: one row each.
 */
#ifndef SD_FORMATS_H
#define SD_FORMATS_H

#include "page/report_style.h"

/* Uses of the style by a format: not `folded`; `folded` among others; only `folded`; `stacks`,
 * which it requires, with `lanes` if any; or only `lanes`, if any. */
enum sd_flames {
	SD_FLAMES_NONE,
	SD_FLAMES_TOO,
	SD_FLAMES_ALONE,
	SD_FLAMES_VIEWER,
	SD_FLAMES_LANES,
};

struct sd_report_format {
	const char *name;    /* of --format */
	const char *summary; /* for --help */
	/* 0, -EIO when `f` took an error, -ENOMEM. */
	int (*print)(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
		const struct sd_report_style *s);
	enum sd_flames flames;
};

extern const struct sd_report_format sd_report_formats[]; /* ends with a row without a name */

/* The row of that name, or NULL. */
const struct sd_report_format *sd_report_format_find(const char *name);

/* All names, "text, json, …", for messages; a fresh string or NULL. */
char *sd_report_format_names(void);

#endif
