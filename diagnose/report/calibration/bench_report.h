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

/* The first screen: the ceilings that programs meet most, what each means for them, and the command
 * for the rest. `file`: where the profile is; NULL: nowhere. 0 or -EIO. */
int sd_bench_brief(
	FILE *f, const struct sd_profile *p, const char *file, const struct sd_report_style *s);

/*
 * A page for a browser: what matters first, the staircase of latency, latency beside traffic,
 * bandwidth over cores with its knee and the share of the memory's peak, line transfer, locks; each
 * with its interval, and the earlier calibration's (NULL: none) beside it. 0, -EIO or -ENOMEM.
 */
int sd_bench_html(FILE *f, const struct sd_profile *p, const struct sd_profile *earlier);

/* One line a row, with a header; RFC 4180 quoting, a point as decimal mark. 0 or -EIO. */
int sd_bench_csv(FILE *f, const struct sd_profile *p);

#endif
