/*
 * Slow requests at every core count: what they did that typical ones did not (METHODS 2.5).
 */
#ifndef SD_SLOW_REQUESTS_H
#define SD_SLOW_REQUESTS_H

#include "analysis/region_losses.h"
#include "runs/run_selection.h"

/* Nothing where no region is watched. 0 or -ENOMEM. */
int sd_slow_requests_fill(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_slow_requests *out);

#endif
