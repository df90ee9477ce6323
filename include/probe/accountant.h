/*
 * The accountant receives what was recorded and says where the cores' time went. It is the contract
 * between the probes, which know no rules, and attribution, which knows no probes. The thread
 * poller and the recorder of context switches feed the same one.
 */
#ifndef SD_ACCOUNTANT_H
#define SD_ACCOUNTANT_H

#include "record/run.h"

struct sd_code;
struct sd_mpi_ranks;
struct sd_stacks;
struct sd_thread_views;
struct sd_timeline;

/* A run whose timeline is complete. */
struct sd_accountant_run {
	struct sd_stacks
		*stacks;     /* the timeline's nodes index them; stacks of cut rows are added */
	unsigned cores;      /* the N of the stack */
	unsigned lane_steps; /* of run->lanes at most; 0: none are made */
	int exact; /* every switch is known: they determine the run's idle[] and concurrency[] */
};

struct sd_accountant {
	/* For polled threads. `first`: tid of the thread whose code is sampled. 0 or -ENOMEM
	 * (*state NULL). */
	int (*begin)(void **state, unsigned cores, int first);
	/*
	 * Accounts for the time since the last look. `threads` are the threads as they are now,
	 * `code` the newest sample of the first thread's code (NULL: none at this moment). Updates
	 * the sums that the views keep. 0; -ENOMEM: the account is incomplete.
	 */
	int (*look)(void *state, const struct sd_thread_views *threads, const struct sd_code *code);
	/* Fills the run's idle[] and concurrency[]; run->metric[SD_METRIC_THROTTLED] must
	 * be final. */
	void (*end)(void *state, struct sd_run *run);
	void (*close)(void *state); /* accepts NULL */

	/* Fills the rows, locks and bottle graph of run->sampled, and the lanes, from a whole run's
	 * timeline, after sd_timeline_bound. 0; -ENOMEM: possibly half filled. */
	int (*timeline)(
		struct sd_timeline *t, const struct sd_accountant_run *of, struct sd_run *run);

	/* Fills *run from the logs of its MPI ranks; the hosts and sites are filled already. 0 or
	 * -ENOMEM. */
	int (*ranks)(const struct sd_mpi_ranks *ranks, struct sd_mpi_run *run);
};

/* The rules of diagnose/attribute; whoever starts a run passes them to the probes. */
extern const struct sd_accountant sd_accountant_rules;

#endif
