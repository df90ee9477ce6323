/*
 * Change points of a series: where its values step to others, by E-divisive (Matteson and James, A
 * Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data, JASA 109, 2014),
 * as continuous integration uses it (Daly et al., The Use of Change Point Detection to Identify
 * Software Performance Regressions, ICPE 2020). Of a piece of the series the split with the largest
 * energy distance (alpha = 1) between its sides is a change point if few random orders of the piece
 * have as large a one; then both sides are asked. Distances are those of ranks within the piece, so
 * that an outlier weighs no more than the next value. A piece that a straight line describes better
 * than the step is a drift, and has no change point.
 */
#ifndef SD_CHANGE_POINTS_H
#define SD_CHANGE_POINTS_H

#include <stddef.h>

#define SD_CHANGE_POINTS_SIDE 3   /* values on either side of a change point, at least */
#define SD_CHANGE_POINTS_MOST 400 /* values of a series: time grows with their square */
#define SD_CHANGE_POINTS_P .002   /* of orders that may have as large a distance */

struct sd_change_point {
	size_t at; /* index of the first value after the change */
	double p;  /* share of random orders with as large a distance, (k + 1) / (orders + 1) */
};

/* Takes n <= SD_CHANGE_POINTS_MOST finite values, rising by `at`; *out is owned by the caller. 0,
 * -EINVAL (too many values, or one is not finite) or -ENOMEM. The same values give the same points.
 */
int sd_change_points_find(const double *v, size_t n, struct sd_change_point **out, size_t *n_out);

#endif
