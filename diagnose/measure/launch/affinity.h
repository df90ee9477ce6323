/*
 * Which CPUs a process may use: binding the program, and stepping aside for it.
 */
#ifndef SD_AFFINITY_CHECK_H
#define SD_AFFINITY_CHECK_H

#include <sys/types.h>

#include "base/cpulist.h"

/*
 * Binds the one-threaded process `pid` to `cpus` and checks that the kernel took all of them. 0;
 * -ENODEV when a CPU is offline or outside the cpuset (*missing is the first one); -ENOMEM, -EPERM,
 * -ESRCH.
 */
int sd_affinity_bind(pid_t pid, const struct sd_cpulist *cpus, unsigned *missing);

/* The calling thread's affinity, to be given back; NULL when it did not step aside. */
struct sd_affinity_set;

/*
 * Moves the calling thread off `cpus` while there are others it may use, so that watching does not
 * take from the program. Returns what sd_affinity_back() takes, NULL when nothing was changed.
 */
struct sd_affinity_set *sd_affinity_aside(const struct sd_cpulist *cpus);
void sd_affinity_back(struct sd_affinity_set *before); /* frees; accepts NULL */

#endif
