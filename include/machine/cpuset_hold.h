/*
 * Holding a process tree on its CPUs with a private cpuset cgroup, for programs that rebind
 * themselves.
 */
#ifndef SD_CPUSET_HOLD_H
#define SD_CPUSET_HOLD_H

#include <sys/types.h>

#include "base/cpulist.h"

struct sd_cpuset_hold {
	char path[4096]; /* the cgroup's folder; "" = nothing is held */
	int version;     /* of cgroups, 1 or 2 */
};

/*
 * Makes a private cpuset cgroup of `cpus`, a child of this process's own, so that every other limit
 * stays as it was. Memory nodes are the parent's. Removes what scalediags that died have left
 * there. 0; expected absence, to be taken as "not held", is: -ENOTSUP no cpuset hierarchy here, or
 * (version 2) the controller is not enabled for children of our cgroup, which this never changes;
 * -EACCES, -EPERM, -EROFS not permitted; -EINVAL the parent does not have these CPUs. Other -errno.
 * *h is the empty value on failure.
 */
int sd_cpuset_hold_open(struct sd_cpuset_hold *h, const struct sd_cpulist *cpus);

/*
 * Moves a process, all its threads and its future children into it; the kernel then sets their
 * affinity to the cgroup's CPUs, so bind a process after this, not before. From then on
 * sched_setaffinity cannot leave these CPUs. 0 or -errno (-ESRCH no such process).
 */
int sd_cpuset_hold_add(const struct sd_cpuset_hold *h, pid_t pid);

/*
 * Removes the cgroup; a process still in it goes back to the parent. 0, or -errno when it stayed
 * (-EBUSY), and the next scalediag removes it. Leaves the empty value; accepts it.
 */
int sd_cpuset_hold_close(struct sd_cpuset_hold *h);

/* Removes what scalediags that died have left beside this process's own cgroup. Quick where there
 * is none; what may not be removed stays. */
void sd_cpuset_hold_sweep(void);

#endif
