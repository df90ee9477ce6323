/*
 * The changes between two calibrations as text and JSON.
 */
#ifndef SD_BENCH_CHANGES_H
#define SD_BENCH_CHANGES_H

#include <stdio.h>

#include "analysis/profile_comparison.h"
#include "page/report_style.h"

/* 0 or -EIO. */
int sd_bench_changes_text(
	FILE *f, const struct sd_bench_comparison *c, const struct sd_report_style *s);

/* One JSON object. 0, -EIO or -ENOMEM. */
int sd_bench_changes_json(FILE *f, const struct sd_bench_comparison *c);

#endif
