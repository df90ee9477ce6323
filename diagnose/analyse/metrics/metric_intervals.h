/*
 * The metrics of a point for the report, with their intervals.
 */
#ifndef SD_METRIC_INTERVALS_H
#define SD_METRIC_INTERVALS_H

#include <stdint.h>

#include "analysis/analysis.h"
#include "metrics/metric_eval.h"

/*
 * Appends to point->shown every metric of the tables whose counts are there, and what speaks
 * against bringing the passes together; runs are drawn again for the intervals. Nothing when the
 * model is empty. 0 or -ENOMEM.
 */
int sd_metric_intervals_fill(const struct sd_model *m, const struct sd_chosen *p, uint64_t seed,
	size_t stream, struct sd_point *point);

#endif
