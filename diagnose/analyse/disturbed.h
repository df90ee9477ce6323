/*
 * Runs during which other processes or the hypervisor took CPU time.
 */
#ifndef SD_DISTURBED_H
#define SD_DISTURBED_H

#include "choice.h"

/* From this share of the CPUs on a run is disturbed: half of the least that causes are named for.
 */
#define SD_DISTURBED_FROM .025

/* Share of `n` CPUs that others took during the run, at most 1; *known |= whether that is known. */
double sd_disturbed_share(const struct sd_run *run, unsigned n, int *known);

/*
 * Leaves out the disturbed runs of a point, most disturbed first, as long as SD_STATISTICS_FEW are
 * left, and counts them. What others took is no result of the program, so the choice says nothing
 * about its times.
 */
void sd_disturbed_leave_out(struct sd_chosen *p);

#endif
