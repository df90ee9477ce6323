/*
 * CPU affinity: binds the program, and keeps us off its CPUs.
 */
#ifndef SD_AFFINITY_CHECK_H
#define SD_AFFINITY_CHECK_H

#include <sys/types.h>

#include "base/cpulist.h"

/*
 * Binds the single-threaded process `pid` to `cpus` and checks that the kernel accepted all of
 * them. 0; -ENODEV: a CPU is offline or outside the cpuset (*missing is the first one); -ENOMEM,
 * -EPERM, -ESRCH.
 */
int sd_affinity_bind(pid_t pid, const struct sd_cpulist *cpus, unsigned *missing);

/* The calling thread's affinity, to be restored; NULL: it was not changed. */
struct sd_affinity_set;

/*
 * Moves the calling thread off `cpus` if it may use others, so that watching costs the program
 * nothing. Returns the value for sd_affinity_back(), NULL if nothing was changed.
 */
struct sd_affinity_set *sd_affinity_aside(const struct sd_cpulist *cpus);
void sd_affinity_back(struct sd_affinity_set *before); /* frees; accepts NULL */

#endif
