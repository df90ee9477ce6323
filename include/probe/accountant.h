/*
 * Who is told what was recorded, and says where the cores' time went: the contract between the
 * probes, which know no rule, and attribution, which knows no probe. The poller of threads and the
 * recording of switches feed the same one.
 */
#ifndef SD_ACCOUNTANT_H
#define SD_ACCOUNTANT_H

#include "record/run.h"

struct sd_code;
struct sd_stacks;
struct sd_thread_views;
struct sd_timeline;

/* A run whose timeline is complete. */
struct sd_accountant_run {
	struct sd_stacks *stacks; /* the timeline's nodes are of them; get the stacks of cut rows */
	unsigned cores;           /* the N of the stack */
	int exact; /* every switch is known: the run's idle[] and concurrency[] are made of them */
};

struct sd_accountant {
	/* For threads that are looked at now and then; `first`: tid of the one whose code is
	 * sampled. 0 or -ENOMEM (*state NULL). */
	int (*begin)(void **state, unsigned cores, int first);
	/*
	 * The threads as they are now, of which the time since the last look is accounted for, and
	 * the newest sample of the first thread's code (NULL: none of this moment). Sums up in the
	 * views what is theirs to keep. 0 or -ENOMEM: what was seen since is not the whole.
	 */
	int (*look)(void *state, const struct sd_thread_views *threads, const struct sd_code *code);
	/* The run's idle[] and concurrency[]; run->metric[SD_METRIC_THROTTLED] is known or absent.
	 */
	void (*end)(void *state, struct sd_run *run);
	void (*close)(void *state); /* accepts NULL */

	/* A whole run's timeline, bounded (sd_timeline_bound): the rows, locks and bottles of
	 * run->sampled. 0 or -ENOMEM: half of it may be there. */
	int (*timeline)(
		struct sd_timeline *t, const struct sd_accountant_run *of, struct sd_run *run);
};

/* The project's rules (diagnose/attribute), handed to the probes by whoever starts a run. */
extern const struct sd_accountant sd_accountant_rules;

#endif
