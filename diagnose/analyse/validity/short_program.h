/*
 * Does the program take long enough to tell a cause from its start?
 */
#ifndef SD_SHORT_PROGRAM_H
#define SD_SHORT_PROGRAM_H

#include "analysis/analysis.h"
#include "record/record.h"
#include "runs/run_selection.h"

/*
 * Fills a->too_short, a->is_start, and then a->no_verdict: where the reference takes less than
 * 50 ms and no other count 50 ms more than it, or where more than half of its samples were in what
 * starts a program: the kernel's part of exec, and the loader. Programs that were attached to,
 * modelled, imported or judged by a region have no start of their own, those of MPI one that is
 * told apart: nothing is said of these.
 */
void sd_short_program_find(
	const struct sd_record *r, const struct sd_run_selection *choice, struct sd_analysis *a);

#endif
