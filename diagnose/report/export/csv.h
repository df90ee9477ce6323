/*
 * The report as CSV (RFC 4180) for spreadsheets and scripts.
 */
#ifndef SD_CSV_H
#define SD_CSV_H

#include "page/report_style.h"

/* One observation a row: every number of every point, and every cause. */
int sd_csv_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

/* One observation a row: every metric of every run, as measured. */
int sd_csv_runs(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

#endif
