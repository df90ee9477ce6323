/*
 * Runs during which other processes or the hypervisor took CPU time. What others took is no result
 * of the program: such runs are left out, which says nothing about its times.
 */
#ifndef SD_DISTURBED_RUNS_H
#define SD_DISTURBED_RUNS_H

#include <stddef.h>

#include "record/run.h"

/* From this share of the CPUs on a run is disturbed: half of the least that causes are named for.
 */
#define SD_DISTURBED_RUNS_FROM .025

/* From this share of a run's cores on, that others used unseen, the run is disturbed. A program
 * loses less than that, and fewer runs cost precision too: so this share of the runs is kept at
 * least. */
#define SD_DISTURBED_RUNS_SHARED_FROM .1
#define SD_DISTURBED_RUNS_SHARED_LEFT .5

/* As many runs of a point are kept, disturbed or not. */
#define SD_DISTURBED_RUNS_LEFT 5

/* Share of `n` CPUs that others took during the run, at most 1; *known |= whether that is known. */
double sd_disturbed_runs_share(const struct sd_run *run, unsigned n, int *known);

/*
 * Share of its cores that the run did not have: others ran on their other hardware threads, which
 * no kernel of a virtual machine sees. `whole` is the width of a core that is not shared (metrics
 * WIDTH_*), at most 1; a program may lose less. 0 when it is not known (*known is left then).
 */
double sd_disturbed_runs_sharers(const struct sd_run *run, double whole, int *known);

/* The widest that a core of these runs was seen; 0 not known. */
double sd_disturbed_runs_whole(const struct sd_run *const *run, size_t count);

/*
 * Moves the disturbed ones to the end of `count` runs of one point on `n` CPUs: those that lost CPU
 * time, most disturbed first, as long as SD_DISTURBED_RUNS_LEFT are left; of the others those whose
 * cores were shared most, as long as there is also SD_DISTURBED_RUNS_SHARED_LEFT of them. The order
 * changes. How many are left.
 */
size_t sd_disturbed_runs_leave_out(const struct sd_run **run, size_t count, unsigned n);

#endif
