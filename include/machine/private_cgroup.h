/*
 * A cgroup of our own below ours, for a process tree: one that confines it to its CPUs, whatever
 * affinity it sets, or one that gives it precedence over other work on them.
 */
#ifndef SD_PRIVATE_CGROUP_H
#define SD_PRIVATE_CGROUP_H

#include <sys/types.h>

#include "base/cpulist.h"
#include "base/leftover_note.h"

struct sd_private_cgroup {
	char path[4096]; /* the cgroup's folder; "" = there is none */
	int version;     /* of cgroups, 1 or 2 */
	struct sd_leftover_note note;
};

/*
 * Creates a private cpuset cgroup with `cpus` as a child of this process's own cgroup, so that all
 * other limits stay in force. Memory nodes are the parent's. Removes cgroups left by scalediag
 * processes that died. 0, or -errno and *h empty. These mean "cannot be held here" and are
 * expected: -ENOTSUP no cpuset hierarchy, or (version 2) the controller is not enabled for children
 * of our cgroup, which this never changes; -EACCES, -EPERM, -EROFS not permitted; -EINVAL the
 * parent lacks these CPUs.
 */
int sd_private_cgroup_cpuset(struct sd_private_cgroup *h, const struct sd_cpulist *cpus);

/* How much more of a CPU a process in it gets than one that is as busy beside it. Not all of it: a
 * terminal must still answer. */
#define SD_PRIVATE_CGROUP_PRECEDENCE 64

/* The same, with that weight of the cpu controller and no other limit. Errors as above. */
int sd_private_cgroup_weight(struct sd_private_cgroup *h);

/*
 * Moves a process with all its threads and future children into the cgroup. The kernel then resets
 * their affinity to the cgroup's CPUs, so bind the process afterwards. From then on
 * sched_setaffinity cannot leave these CPUs. 0 or -errno (-ESRCH no such process).
 */
int sd_private_cgroup_add(const struct sd_private_cgroup *h, pid_t pid);

/*
 * Files by which a thread moves itself there, and back to the parent, with "0": at once, where
 * moving a process waits for all CPUs. 0; -ENOTSUP (version 2) or another -errno, and both are -1.
 */
int sd_private_cgroup_files(const struct sd_private_cgroup *h, int *in, int *back);

/* Version 2: a descriptor of the folder, in which a process can be born (clone3), which waits for
 * nothing either. -ENOTSUP (version 1) or another -errno. */
int sd_private_cgroup_folder(const struct sd_private_cgroup *h);

/*
 * Removes the cgroup; processes still in it return to the parent. 0, or -errno if it could not be
 * removed (-EBUSY): the next scalediag does. Leaves the empty value; accepts it.
 */
int sd_private_cgroup_close(struct sd_private_cgroup *h);

/* Removes cgroups that dead scalediag processes left beside this process's own. Fast if there are
 * none; those it may not remove stay. */
void sd_private_cgroup_sweep(void);

/* The same for one anywhere that a scalediag which is no more has noted (base/leftover_note.h). */
int sd_private_cgroup_noted(int fd, const char *parent, const char *name);

#endif
