/*
 * Does a thread still run only on the CPUs it was given, and may it use all of them?
 */
#ifndef SD_AFFINITY_CHECK_H
#define SD_AFFINITY_CHECK_H

#include "base/cpulist.h"
#include "base/status.h"
#include "threads/bound_waits.h"

/* The CPU time of a program's threads by the CPUs that their affinity lets them use. */
struct sd_affinity_check {
	const struct sd_cpulist *cpus; /* borrowed: those it was given */
	unsigned char *open;           /* owned; [cpus->n], of the thread that is looked at */
	double *seconds;               /* owned; [cpus->n] */
	double all;                    /* s */
	struct sd_bound_waits waits;
};

/* 0 or -ENOMEM; *a is to be ended in every case. */
int sd_affinity_check_begin(struct sd_affinity_check *a, const struct sd_cpulist *cpus);
void sd_affinity_check_end(struct sd_affinity_check *a); /* accepts the zeroed value */

/*
 * 1 if the thread may run on a CPU outside those, 0 if not, -errno if unreadable; says of it
 * whether it is bound to one of several, and counts what it has used since it was looked at last.
 * `root` is the prefix of /proc; "" asks the kernel directly, which is twenty times cheaper than
 * the thread's status file.
 */
int sd_affinity_check_strays(
	struct sd_affinity_check *a, const char *root, struct sd_thread_state *t);

/* How many of the CPUs it used, or could have; absent: nothing ran that was looked at. */
struct sd_value sd_affinity_check_usable(const struct sd_affinity_check *a);

#endif
