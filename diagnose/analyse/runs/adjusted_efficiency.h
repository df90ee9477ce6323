/*
 * The efficiency on equally whole cores: an analysis of covariance of the times of two points with
 * the widths of their CPUs (shared_cores.h) as covariates.
 */
#ifndef SD_ADJUSTED_EFFICIENCY_H
#define SD_ADJUSTED_EFFICIENCY_H

#include "runs/run_selection.h"

/* Runs that each point needs. */
#define SD_ADJUSTED_EFFICIENCY_LEAST 6

/*
 * Fits, over all runs of both points that lost no CPU time, also those left out for their widths,
 *   ln time = a(point) + b ln(width) + c ln(narrowest / width)
 * and returns the efficiency where both points have the same width and no CPU is narrower than the
 * others: exp(a(ref) - a(last)) by the work and the cores, with its 95 % interval. Outliers count
 * less (Huber, k = 1.5). A program loses at most as much as additions do and does not gain: b and c
 * have the prior -0.5 +- 0.5 (normal), so that widths that hardly vary do not make them wild.
 * Absent with fewer runs or without widths. Source: Fisher's analysis of covariance; Huber 1964.
 */
struct sd_interval sd_adjusted_efficiency(
	const struct sd_record *r, const struct sd_chosen *ref, const struct sd_chosen *last);

#endif
