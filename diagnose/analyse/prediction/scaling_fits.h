/*
 * Least-squares summaries of speedups: Amdahl's law and the Universal Scalability Law (METHODS 1.8,
 * 1.9). Summaries, never causes.
 */
#ifndef SD_SCALING_FITS_H
#define SD_SCALING_FITS_H

#include <stddef.h>

#include "analysis/analysis.h"

/* A point of a scaling curve. */
struct sd_curve {
	double n; /* cores */
	double x; /* throughput, any unit */
};

/*
 * Serial fraction s of 1/S = s + (1 - s)/p by linear least squares in 1/S, within 0..1; `x` is the
 * speedup. Absent without a point at p > 1.
 */
struct sd_value sd_scaling_fits_amdahl(const struct sd_curve *c, size_t n);

/*
 * x = gamma n / (1 + alpha (n - 1) + beta n (n - 1)) by least squares in x with alpha, beta >= 0:
 * an interior minimum by Levenberg-Marquardt in logarithms from several starts, and the borders
 * alpha = 0 and beta = 0 separately, since a projected search stalls on them. Needs six different
 * n. Fills only the usl_* fields, absent if not fitted.
 */
void sd_scaling_fits_usl(const struct sd_curve *c, size_t n, struct sd_fits *out);

/*
 * Fits both to the speedups of an analysis's points that have a core for every thread; Amdahl's law
 * only for strong scaling. gamma is a speedup.
 */
int sd_scaling_fits_fill(struct sd_analysis *a, int weak); /* 0 or -ENOMEM */

#endif
