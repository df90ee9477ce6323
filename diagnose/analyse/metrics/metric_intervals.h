/*
 * The metrics of a point for the report, with their intervals.
 */
#ifndef SD_METRIC_INTERVALS_H
#define SD_METRIC_INTERVALS_H

#include <stdint.h>

#include "analysis/analysis.h"
#include "metrics/metric_eval.h"

/*
 * Appends to point->shown every metric of the tables that was counted, and how far the passes
 * disagree; intervals are bootstrapped over runs. Does nothing if the model is empty. 0 or -ENOMEM.
 */
int sd_metric_intervals_fill(const struct sd_model *m, const struct sd_chosen *p, uint64_t seed,
	size_t stream, struct sd_point *point);

#endif
