/*
 * Which CPUs a process may use: binding the program, stepping aside, and noticing who left.
 */
#ifndef SD_AFFINITY_H
#define SD_AFFINITY_H

#include <sys/types.h>

#include "cpulist.h"

/*
 * Binds the one-threaded process `pid` to `cpus` and checks that the kernel took all of them. 0;
 * -ENODEV when a CPU is offline or outside the cpuset (*missing is the first one); -ENOMEM, -EPERM,
 * -ESRCH.
 */
int sd_affinity_bind(pid_t pid, const struct sd_cpulist *cpus, unsigned *missing);

/* 1 when a thread of a descendant of `root` may run on a CPU outside `cpus`, else 0. */
int sd_affinity_outside(pid_t root, const struct sd_cpulist *cpus);

/* The calling thread's affinity, to be given back; NULL when it did not step aside. */
struct sd_affinity_set;

/*
 * Moves the calling thread off `cpus` while there are others it may use, so that watching does not
 * take from the program. Returns what sd_affinity_back() takes, NULL when nothing was changed.
 */
struct sd_affinity_set *sd_affinity_aside(const struct sd_cpulist *cpus);
void sd_affinity_back(struct sd_affinity_set *before); /* frees; accepts NULL */

#endif
