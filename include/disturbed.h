/*
 * Runs during which other processes or the hypervisor took CPU time. What others took is no result
 * of the program: such runs are left out, which says nothing about its times.
 */
#ifndef SD_DISTURBED_H
#define SD_DISTURBED_H

#include <stddef.h>

#include "run.h"

/* From this share of the CPUs on a run is disturbed: half of the least that causes are named for.
 */
#define SD_DISTURBED_FROM .025

/* As many runs of a point are kept, disturbed or not. */
#define SD_DISTURBED_LEFT 5

/* Share of `n` CPUs that others took during the run, at most 1; *known |= whether that is known. */
double sd_disturbed_share(const struct sd_run *run, unsigned n, int *known);

/*
 * Removes the disturbed ones of `count` runs on `n` CPUs, most disturbed first, as long as
 * SD_DISTURBED_LEFT are left; the order changes. How many are left.
 */
size_t sd_disturbed_leave_out(const struct sd_run **run, size_t count, unsigned n);

#endif
