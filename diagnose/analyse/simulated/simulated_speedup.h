/*
 * Speed-ups at counts that were only simulated.
 */
#ifndef SD_SIMULATED_SPEEDUP_H
#define SD_SIMULATED_SPEEDUP_H

#include "analysis/analysis.h"
#include "record/record.h"
#include "runs/run_selection.h"

/* Speed-ups estimated for all simulated counts (METHODS 6.2): fills a->estimate. 0 or -ENOMEM. */
int sd_simulated_speedup(
	const struct sd_record *r, const struct sd_run_selection *choice, struct sd_analysis *a);

#endif
