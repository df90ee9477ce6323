/*
 * How long threads that may run on one CPU only were ready while others that may run nowhere else
 * had it. One that may run elsewhere is moved by the kernel as soon as there is a CPU for it, so
 * that a rank with a core of its own and a helper that passes by are no crowd.
 */
#ifndef SD_BOUND_WAITS_H
#define SD_BOUND_WAITS_H

#include "base/cpulist.h"
#include "base/status.h"
#include "threads/process_tree.h"

struct sd_bound_waits {
	double *ran; /* owned; [n] s that bound threads ran on each CPU in this poll */
	unsigned n;
	double seconds; /* of all threads so far */
};

/* 0 or -ENOMEM; *w is to be ended in every case. */
int sd_bound_waits_begin(struct sd_bound_waits *w, const struct sd_cpulist *cpus);
void sd_bound_waits_end(struct sd_bound_waits *w); /* accepts the zeroed value */

/*
 * Adds the poll that the tree was read in. A thread that was bound when its affinity was looked at
 * last waited for the others that are bound to its CPU for no longer than it was ready, and no
 * longer than they ran there; what it waited beyond was another program's.
 */
void sd_bound_waits_add(struct sd_bound_waits *w, const struct sd_process_tree *tree);

/* s of all polls; `timed` says that the kernel counts run times. */
struct sd_value sd_bound_waits_told(const struct sd_bound_waits *w, int timed);

#endif
