/*
 * The account of idle cores: from one look at the threads to the next, what ran and what the idle
 * cores were.
 */
#ifndef SD_IDLE_ACCOUNT_H
#define SD_IDLE_ACCOUNT_H

#include <stddef.h>

#include "attribute/same_code.h"
#include "attribute/idle_classes.h"
#include "attribute/lone_runner.h"
#include "trace/thread_view.h"

/* Zeroed, with `cores` set, is the beginning. */
struct sd_idle_account {
	double cores;               /* N */
	double idle[SD_IDLE_COUNT]; /* core-s, without what `solo` still holds */
	struct sd_lone_runner solo;
	double *concurrency; /* owned; [k] = s with k threads on a CPU or ready */
	size_t n_concurrency;
	double carry;     /* core-s that were booked as idle too much, an estimate put right */
	double both, one; /* s with two threads on a CPU or more; with one and none ready */
	double peak;      /* most threads on a CPU or ready at once */
	struct sd_same_code *codes; /* borrowed; NULL: no samples are taken */
	int first;                  /* the thread that is sampled */
	int sampled;                /* the thread whose code is known at this step; 0 none */
	int alike_now; /* it is alone, where it is beside its peers: 1, 0, -1 unknown */
	enum sd_wait
		habit;  /* what any thread was last met waiting for, other than a thread's end */
	double busiest; /* s: CPU time of the thread with most */
	double runners; /* that ran or were ready when a poll last met an idle core; 0 never */
	struct sd_lone_runner_case runner; /* the only one of them; tid 0: not one */
};

/* What thread `tid`, a first thread, ran at this moment: to be said before the step is booked. */
void sd_idle_account_code(struct sd_idle_account *d, const struct sd_thread_views *all, int tid,
	const struct sd_code *code);

/* Books the time from the last moment to this one, and sums up in the views what is theirs to keep.
 * 0 or -ENOMEM. */
int sd_idle_account_add(struct sd_idle_account *d, const struct sd_thread_views *all);

/* The whole account: idle and what is known by now about the solo runners. */
void sd_idle_account_total(const struct sd_idle_account *d, double idle[SD_IDLE_COUNT]);

void sd_idle_account_free(struct sd_idle_account *d); /* accepts the zeroed value */

#endif
