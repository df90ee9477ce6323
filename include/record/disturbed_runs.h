/*
 * Runs during which other processes or the hypervisor took CPU time, or that a signal stopped. They
 * are left out. The choice depends only on what others did, so it does not bias the program's
 * times.
 */
#ifndef SD_DISTURBED_RUNS_H
#define SD_DISTURBED_RUNS_H

#include <stddef.h>

#include "record/run.h"

/* A run that lost this share of the CPUs to others is disturbed: half of the smallest share that a
 * cause is named for.
 */
#define SD_DISTURBED_RUNS_FROM .025

/* A run is also disturbed if others used this share of its cores unseen. Since a program loses less
 * than that, and dropping runs costs precision, at least the second share of the runs is kept. */
#define SD_DISTURBED_RUNS_SHARED_FROM .1
#define SD_DISTURBED_RUNS_SHARED_LEFT .5

/* At least this many runs of a point are kept, disturbed or not. */
#define SD_DISTURBED_RUNS_LEFT 5

/* Share of `n` CPUs that others took during the run, at most 1; *known |= whether that is known. */
double sd_disturbed_runs_share(const struct sd_run *run, unsigned n, int *known);

/*
 * Share of its cores, at most 1, that the run lost to others on the sibling hardware threads, which
 * a guest kernel cannot see. `whole` is the width of an unshared core (metrics WIDTH_*). An upper
 * bound: a program may lose less. 0 if unknown (*known is unchanged then).
 */
double sd_disturbed_runs_sharers(const struct sd_run *run, double whole, int *known);

/* The largest width of any core in these runs; 0 unknown. */
double sd_disturbed_runs_whole(const struct sd_run *const *run, size_t count);

/*
 * Moves disturbed runs to the end of `count` runs of one point on `n` CPUs. First those that a
 * signal stopped (SD_RUN_STOPPED), unless all were: a program may stop itself. Then those that lost
 * CPU time, most disturbed first, while SD_DISTURBED_RUNS_LEFT remain; then those with the most
 * shared cores, while also SD_DISTURBED_RUNS_SHARED_LEFT of the others remain. Reorders run[];
 * returns how many remain.
 */
size_t sd_disturbed_runs_leave_out(const struct sd_run **run, size_t count, unsigned n);

#endif
