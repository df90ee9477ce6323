/*
 * The table that the benchmarks' rows are of: what, how, and three cells; a ratio or an amount is
 * the median with its interval or quartiles.
 */
#ifndef SD_BENCH_TABLE_H
#define SD_BENCH_TABLE_H

#include <stdio.h>

#include "base/statistics.h"

struct bench_cell {
	char text[40];
};

static inline void bench_row(
	const char *what, const char *how, const char *a, const char *b, const char *c)
{
	printf("%-26s %-20s %-22s %-22s %s\n", what, how, a, b, c);
	fflush(stdout); /* or every child would print it again */
}

/* A part of the table begins: what its cells are. */
static inline void bench_head(
	const char *part, const char *how, const char *a, const char *b, const char *c)
{
	printf("\n");
	bench_row(part, how, a, b, c);
}

/* Median and 95 % interval; reorders v. "-": there are none. */
static inline struct bench_cell bench_cell(double *v, size_t n, int digits)
{
	const struct sd_interval i = sd_statistics_order(v, n);
	struct bench_cell cell = {"-"};

	if (n == 1)
		snprintf(cell.text, sizeof cell.text, "%.*f", digits, i.value);
	else if (n)
		snprintf(cell.text, sizeof cell.text, "%.*f [%.*f %.*f]", digits, i.value, digits,
			i.low, digits, i.high);
	return cell;
}

#endif
