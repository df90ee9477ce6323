/*
 * Formats a number of the analysis with its uncertainty, the same in every report.
 */
#ifndef SD_INTERVAL_TEXT_H
#define SD_INTERVAL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/analysis.h"

/* A number with its decimals; one too large for them, which no real measurement is, as
 * 1.234e+56. */
void sd_interval_text_number(char *out, size_t size, double v, int decimals);

/* Does its interval bound it? One whose half is over ten times the number, and over 10, does not,
 * as of two runs that differ much: "42 % ± 5810.9" says nothing. */
int sd_interval_text_tells(struct sd_interval v);

/*
 * Half of the interval, for "±"; "?" if the number is from a single run, or none, or its interval
 * tells nothing: of per cent from 100 or the number on. `decimals` and
 * `factor` (100 for per cent) as for the number itself.
 */
void sd_interval_text_half(
	char *out, size_t size, struct sd_interval v, size_t runs, double factor, int decimals);

/* Bounds, "0.68 to 0.86"; "0.68 or more" where nothing bounds it from above, "?" where
 * nothing does at all. */
void sd_interval_text_bounds(char *out, size_t size, struct sd_interval v, int decimals);

/* The interval of cores at this point in words: "95 %: 0.68 to 0.86", "95 %: 0.68 or more"; that
 * the runs differ too much, if it is all the cores there are; "one run", there or at the reference,
 * has none; "" of a modelled machine, which is exact. */
void sd_interval_text_range(
	char *out, size_t size, struct sd_interval v, const struct sd_point *p, int decimals);

/* Is there something to tell of it? "1.00x or more" tells nothing. */
int sd_interval_text_gains(struct sd_interval v);

/* Writes the gain of a fix: "1.46x faster (1.40x to 1.60x)", where `what` is " faster"; "1.46x
 * faster (1.40x or more)", "1.40x faster or more" as far as nothing bounds it from above. */
void sd_interval_text_gain(char *out, size_t size, struct sd_interval v, const char *what);

/* For `runs` of sd_interval_text_put: the number is so by definition. */
#define SD_INTERVAL_TEXT_EXACT SIZE_MAX

/* "1.23 ± 0.04"; "–" if the analysis does not have it. Errors are those of the stream. */
void sd_interval_text_put(FILE *f, struct sd_interval v, size_t runs, double factor, int decimals);

/* Decimals of a table whose smallest number is that, > 0, INFINITY: none: three significant digits
 * of it, and of times two decimals at least. */
int sd_interval_text_places(double least, int rates);

/* The first number in the table of counts: the wall time, or with a throughput that; and its
 * decimals. */
struct sd_interval sd_interval_text_amount(const struct sd_analysis *a, const struct sd_point *p);
int sd_interval_text_decimals(const struct sd_analysis *a);

#endif
