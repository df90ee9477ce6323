/*
 * The account of idle cores: what ran and what the idle cores were, from one look at the threads to
 * the next.
 */
#ifndef SD_IDLE_ACCOUNT_H
#define SD_IDLE_ACCOUNT_H

#include <stddef.h>

#include "attribute/same_code.h"
#include "attribute/idle_classes.h"
#include "attribute/lone_runner.h"
#include "trace/thread_view.h"

/* Initially zero except for `cores`. */
struct sd_idle_account {
	double cores;               /* N */
	double idle[SD_IDLE_COUNT]; /* core-s, without those still in `solo` */
	struct sd_lone_runner solo;
	double *concurrency; /* owned; [k] = s with k threads on a CPU or ready */
	size_t n_concurrency;
	double carry;     /* core-s booked as idle in excess, to correct an estimate */
	double both, one; /* s with two or more threads on a CPU; with one, and none ready */
	double peak;      /* most threads on a CPU or ready at once */
	struct sd_same_code *codes; /* borrowed; NULL: no samples are taken */
	int first;                  /* tid of the sampled thread */
	int sampled;                /* tid whose code is known in this step; 0 none */
	int alike_now;      /* alone, it runs the same code as beside its peers: 1, 0, -1 unknown */
	enum sd_wait habit; /* what any thread was last seen waiting for, except a thread's end */
	double busiest;     /* s: CPU time of the busiest thread */
	double runners;     /* threads running or ready when a core was last seen idle; 0 never */
	struct sd_idle_classes_parked parked;
	struct sd_lone_runner_case runner; /* the only one of these; tid 0: not exactly one */
};

/* The code that `tid`, the first thread, runs at this moment. Call before booking the step. */
void sd_idle_account_code(struct sd_idle_account *d, const struct sd_thread_views *all, int tid,
	const struct sd_code *code);

/* Books the time from the last moment to this one and updates the sums in the views. 0 or
 * -ENOMEM. */
int sd_idle_account_add(struct sd_idle_account *d, const struct sd_thread_views *all);

/* The total account, including what is known by now about lone runners. */
void sd_idle_account_total(const struct sd_idle_account *d, double idle[SD_IDLE_COUNT]);

void sd_idle_account_free(struct sd_idle_account *d); /* accepts the zeroed value */

#endif
