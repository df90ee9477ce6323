/*
 * Does the work happen in processes that somebody else starts (srun, docker, ssh and the like hand
 * it to a daemon)? Then the process tree is not the program, and what it waits for is no cause of
 * anything.
 */
#ifndef SD_ELSEWHERE_H
#define SD_ELSEWHERE_H

#include "base/cpulist.h"
#include "record/run.h"

/* Has it used little CPU time on its CPUs, and others far more? */
int sd_elsewhere_asks(const struct sd_run *run, const struct sd_cpulist *cpus);

/* Did others use about the same in each of these runs, as work that is handed to them is?
 * Neighbours come and go. */
int sd_elsewhere_is_steady(const struct sd_run *const *run, size_t n);

/*
 * 1 when such a run's others are idle while it does not run: for that the machine is watched for as
 * long as the run took, 2 s at most. 0 when not, or where it cannot be told. `root`: of /proc, ""
 * for the machine's.
 */
int sd_elsewhere_is(const struct sd_run *run, const struct sd_cpulist *cpus, const char *root);

#endif
