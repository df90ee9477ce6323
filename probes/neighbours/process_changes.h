/*
 * Differences of two looks: CPU time and disk traffic of each process, the largest first. Pure.
 */
#ifndef SD_PROCESS_CHANGES_H
#define SD_PROCESS_CHANGES_H

#include "neighbours/process_look.h"
#include "record/run.h"

/*
 * Fills up to SD_NEIGHBOURS, but for BOUND and `memory`, and leaves out process `self` and all
 * below it. `tick`: s. CPU time of a process that ended between the looks is its parent's, without
 * what it had used before the first. Returns how many.
 */
size_t sd_process_changes(const struct sd_process_look *before, const struct sd_process_look *now,
	int self, double tick, struct sd_neighbour out[SD_NEIGHBOURS]);

#endif
