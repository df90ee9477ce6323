/*
 * A chart of curves with their intervals, as SVG inside a page, and the same numbers as a table.
 */
#ifndef SD_BENCH_CHART_H
#define SD_BENCH_CHART_H

#include <stddef.h>
#include <stdio.h>

#define SD_CHART_SERIES 24u

struct sd_chart_point {
	double x, y, low, high;
};

struct sd_chart_series {
	char name[64];
	int earlier; /* of the previous calibration: drawn dashed, in the colour of its counterpart
		      */
	unsigned colour;
	struct sd_chart_point *point; /* owned */
	size_t n;
};

struct sd_chart {
	const char *title, *x_label, *y_label;
	int log_x, log_y;
	int x_bytes; /* "64 KiB" */
	struct sd_chart_series series[SD_CHART_SERIES];
	size_t n;
	int failed; /* out of memory */
};

/* Begins a series, whose points follow; NULL: no room for one more. One that stays empty is not
 * drawn. */
struct sd_chart_series *sd_chart_begin_series(
	struct sd_chart *c, const char *name, unsigned colour, int earlier);
void sd_chart_add_point(struct sd_chart *c, struct sd_chart_series *s, struct sd_chart_point p);

/* The figure and its table, folded; nothing without a point. Frees the series. 0 or -ENOMEM. */
int sd_chart_put(FILE *f, struct sd_chart *c);

#endif
