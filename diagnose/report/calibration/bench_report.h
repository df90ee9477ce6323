/*
 * The calibration as text and CSV; its JSON is the profile itself. Reports compute nothing.
 */
#ifndef SD_BENCH_REPORT_H
#define SD_BENCH_REPORT_H

#include <stdio.h>

#include "bench/profile.h"
#include "page/report_style.h"

/* Text with small plots. `all`: every row; else long tables are cut and say so. 0 or -EIO. */
int sd_bench_text(FILE *f, const struct sd_profile *p, int all, const struct sd_report_style *s);

/* One line a row, with a header; RFC 4180 quoting, a point as decimal mark. 0 or -EIO. */
int sd_bench_csv(FILE *f, const struct sd_profile *p);

#endif
