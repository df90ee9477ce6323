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

/*
 * 1 when a run has used little CPU time on its CPUs, others far more, and those are idle while it
 * does not run: for that the machine is watched for as long as the run took, 2 s at most, and only
 * where the run gives rise to it. 0 when not, or where it cannot be told (a neighbour that is as
 * busy without the run). `root`: of /proc, "" for the machine's.
 */
int sd_elsewhere_is(const struct sd_run *run, const struct sd_cpulist *cpus, const char *root);

#endif
