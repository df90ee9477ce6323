/*
 * The efficiency on unshared cores: an analysis of covariance of the times of two points, with the
 * widths of their CPUs (shared_cores.h) as covariates (METHODS 2.3.10).
 */
#ifndef SD_ADJUSTED_EFFICIENCY_H
#define SD_ADJUSTED_EFFICIENCY_H

#include "runs/run_selection.h"

/* Runs needed at each point. */
#define SD_ADJUSTED_EFFICIENCY_LEAST 6

/*
 * Fits, over all runs of both points that lost no CPU time, also those left out for their widths,
 *   ln time = a(point) + b ln(width) + c ln(narrowest / width)
 * and returns the efficiency for equal widths at both points and no narrower CPU: exp(a(ref) -
 * a(last)), scaled by work and cores, with its 95 % interval. Outliers are down-weighted (Huber, k
 * = 1.5). A program loses at most as much as additions do and never gains, so b and c have the
 * normal prior -0.5 +- 0.5, which also keeps them stable if widths hardly vary. Absent with fewer
 * runs or without widths. Source: Fisher's analysis of covariance; Huber 1964.
 */
struct sd_interval sd_adjusted_efficiency(
	const struct sd_record *r, const struct sd_chosen *ref, const struct sd_chosen *last);

#endif
