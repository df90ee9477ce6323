/*
 * The cgroups that a run's program starts in: one that gives it precedence, and one that holds it
 * on its CPUs. To move a process the kernel waits until all CPUs have passed through the scheduler,
 * 20 ms; a thread that moves itself, which version 1 has, waits for nothing, nor does a process
 * that is born there, which version 2 has. So the keeper goes there, starts the program, and comes
 * back; or starts it there.
 */
#ifndef SD_RUN_GROUPS_H
#define SD_RUN_GROUPS_H

#include "launch/held_cpus.h"
#include "launch/shield.h"

#define SD_RUN_GROUPS 2

struct sd_run_groups {
	const struct sd_private_cgroup *group[SD_RUN_GROUPS]; /* borrowed */
	unsigned flag[SD_RUN_GROUPS];                         /* SD_RUN_*, of who is in it */
	int in[SD_RUN_GROUPS], back[SD_RUN_GROUPS]; /* files to move oneself by; -1: none */
	int folder;                                 /* of a group that it can be born in; 0: none */
	unsigned born;                              /* which one */
	unsigned n;
};

/* Opens the groups of `shield` and of what holds on `cpus`, made if it is first; each may be
 * NULL. */
void sd_run_groups_open(struct sd_run_groups *g, const struct sd_shield *shield,
	struct sd_held_cpus *held, const struct sd_cpulist *cpus);

/* Moves the calling thread, of a process without others, to the groups; a bit for each that it
 * reached. Its affinity may be another afterwards. */
unsigned sd_run_groups_enter(const struct sd_run_groups *g);
void sd_run_groups_leave(const struct sd_run_groups *g, unsigned entered);

/*
 * A child that calls begin(with, its parent), and in *entered a bit more for a group that it was
 * born in. Until its exec it may share the memory of this process, which has no other threads and
 * never leaves the caller's function: begin() changes none that matters here, and does not return.
 * -1 and errno.
 */
pid_t sd_run_groups_fork(const struct sd_run_groups *g,
	void (*begin)(const void *with, pid_t parent), const void *with, unsigned *entered);

/* Moves a process to those groups in which it did not start. The flags of all that it is in. */
unsigned sd_run_groups_add(const struct sd_run_groups *g, unsigned entered, pid_t pid);

void sd_run_groups_close(struct sd_run_groups *g); /* leaves the zeroed value, accepts it */

#endif
