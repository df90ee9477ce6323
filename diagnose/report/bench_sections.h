/*
 * The sections of the calibration's text report.
 */
#ifndef SD_BENCH_SECTIONS_H
#define SD_BENCH_SECTIONS_H

#include "page.h"
#include "profile.h"

void sd_bench_section_head(struct sd_page *g, const struct sd_profile *p);
void sd_bench_section_bandwidth(struct sd_page *g, const struct sd_profile *p, int all);
void sd_bench_section_latency(struct sd_page *g, const struct sd_profile *p, int all);
void sd_bench_section_loaded(struct sd_page *g, const struct sd_profile *p, int all);
void sd_bench_section_pairs(struct sd_page *g, const struct sd_profile *p);
/* Whatever the kernel measured, row by row. */
void sd_bench_section_rows(
	struct sd_page *g, const struct sd_profile *p, const char *kernel, int all);

/* A number with three significant digits. */
void sd_bench_number(double v, char *out, size_t size);
/* Has the row a number? */
int sd_bench_has(const struct sd_bench_row *r);

#endif
