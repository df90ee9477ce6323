/*
 * Usage that the kernel accounted for the reaped processes of a run, where no probe measured it.
 */
#ifndef SD_RUN_USAGE_H
#define SD_RUN_USAGE_H

#include <sys/resource.h>

#include "record/run.h"

/* Fills in the metrics that no probe measured. */
void sd_run_usage_take(struct sd_run *run, const struct rusage *u);

/* Denies counts and samples that ended with an exec of the program (dumpable.h); after
 * sd_run_usage_take(), whose CPU time shows how much they miss. */
void sd_run_usage_drop_ended(struct sd_run *run);

#endif
