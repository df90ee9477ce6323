/*
 * The points of a curve, collected from a calibration's rows.
 */
#ifndef SD_BENCH_POINTS_H
#define SD_BENCH_POINTS_H

#include "page/plot.h"
#include "bench/profile.h"

struct sd_points {
	double *x, *y; /* owned */
	size_t n;
};

/* Makes room for every row; 0: out of memory. */
int sd_points_open(struct sd_points *p, const struct sd_profile *profile);
void sd_points_free(struct sd_points *p); /* accepts the zeroed value */

/* Makes them a curve of the plot. */
void sd_points_draw(
	const struct sd_points *p, struct sd_plot *plot, size_t curve, char mark, const char *name);

#endif
