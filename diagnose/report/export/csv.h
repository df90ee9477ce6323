/*
 * The report as rows for a spreadsheet or a script. RFC 4180.
 */
#ifndef SD_CSV_H
#define SD_CSV_H

#include "page/report_style.h"

/* One observation a row: every number of every point; every cause. RFC 4180. */
int sd_csv_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

/* One observation a row: every metric of every run, as it was measured. */
int sd_csv_runs(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

#endif
