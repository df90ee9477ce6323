/*
 * The program's regions at every core count, from what its runs noted of them.
 */
#ifndef SD_REGION_TABLE_H
#define SD_REGION_TABLE_H

#include "analysis/analysis.h"
#include "record/record.h"
#include "runs/run_selection.h"

/* Fills a->regions; a->point is filled already. 0 or -ENOMEM. */
int sd_region_table_fill(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a);

#endif
