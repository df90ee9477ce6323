/*
 * Samples by events as functions with their metrics: hotspots first, then what each of them does to
 * the machine.
 */
#ifndef SD_EVENT_PLACES_H
#define SD_EVENT_PLACES_H

#include "analysis/analysis.h"
#include "metrics/metric_eval.h"
#include "runs/run_selection.h"

/*
 * Fills out->events by the run of the largest point whose events were sampled: the formulas of the
 * tables, over what each function counted. Nothing without such a run. 0 or -ENOMEM.
 */
int sd_event_places_fill(const struct sd_record *record, const struct sd_chosen *last,
	const struct sd_model *model, struct sd_analysis *out);

#endif
