/*
 * The cgroups that hold a session's runs on their CPUs, one for each set of CPUs: to make and to
 * remove one takes the kernel longer than all else between two short runs.
 */
#ifndef SD_HELD_CPUS_H
#define SD_HELD_CPUS_H

#include <stddef.h>

#include "machine/private_cgroup.h"

struct sd_held_cpus_group {
	struct sd_cpulist cpus; /* owned */
	struct sd_private_cgroup group;
	int made; /* 0: it cannot be, here */
};

/* None: zeroed. */
struct sd_held_cpus {
	struct sd_held_cpus_group *group; /* owned */
	size_t n;
};

/* The group of these CPUs, made when they come first; NULL: it cannot be, here. Valid until the
 * next call. */
const struct sd_private_cgroup *sd_held_cpus_of(
	struct sd_held_cpus *h, const struct sd_cpulist *cpus);

void sd_held_cpus_close(struct sd_held_cpus *h); /* leaves the zeroed value, accepts it */

#endif
