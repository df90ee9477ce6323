/*
 * Estimated speedups at counts that were only simulated.
 */
#ifndef SD_SIMULATED_SPEEDUP_H
#define SD_SIMULATED_SPEEDUP_H

#include "analysis/analysis.h"
#include "record/record.h"
#include "runs/run_selection.h"

/* Fills a->estimate with estimated speedups for all simulated counts (METHODS 6.2). 0 or -ENOMEM.
 */
int sd_simulated_speedup(
	const struct sd_record *r, const struct sd_run_selection *choice, struct sd_analysis *a);

#endif
