/*
 * The locks that threads waited for at the largest point, and the sources of samples.
 */
#ifndef SD_LOCK_TABLE_H
#define SD_LOCK_TABLE_H

#include "analysis/analysis.h"
#include "runs/run_selection.h"

/* Fills a->lock with means over the sampled runs of the last point. 0 or -ENOMEM. */
int sd_lock_table_fill(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a);

/* Fills a->sampling from the used runs of all points. */
void sd_lock_table_sampling(const struct sd_run_selection *choice, struct sd_sampling *out);

#endif
