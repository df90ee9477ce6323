/*
 * How many threads ran at a time at the largest point, and which ones held the others up.
 */
#ifndef SD_CONCURRENCY_H
#define SD_CONCURRENCY_H

#include "analysis/analysis.h"
#include "runs/run_selection.h"

/* Fills a->threads. 0 or -ENOMEM. */
int sd_concurrency_fill(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a);

#endif
