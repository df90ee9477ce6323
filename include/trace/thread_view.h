/*
 * The threads of a run at one moment, as recording presents them to attribution. The poller of
 * /proc, or the walk through a timeline, keeps one view for each thread.
 */
#ifndef SD_THREAD_VIEW_H
#define SD_THREAD_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "trace/wait.h"

/* Position of a thread's user code. */
struct sd_code {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint64_t ip;   /* instruction pointer */
	uint64_t sp;   /* stack pointer: identifies the call path as far as its depth can */
};

struct sd_thread_view {
	int pid, tid;
	int ppid; /* of its process */
	struct sd_wait_seen seen;
	enum sd_wait habit; /* what it waited for when last seen waiting; none: never seen */
	enum sd_libgomp_barrier gomp; /* of the futex it waits at */
	int new_wait;                 /* this wait began since the last moment */
	int on_cpu, queued;           /* on a CPU; ready but not on one */
	int met;                      /* waited already when it began to be watched */
	double run_step, delay_step;  /* s it ran, and was ready, since the last moment; negative
					 where an estimate is corrected. Valid if timed */
	double cpu; /* its CPU time so far, s; in an arbitrary unit if not timed */

	/* sums kept by attribution, initially zero */
	double solo;     /* s as the only runner */
	double together; /* s with other runners, and alone, since it last waited for a peer;
			  of a */
	double alone;    /* first thread: with runners of other processes */
	double company;  /* s with other runners of its own process, likewise */
	int parked;      /* counted, and not looked at; as which of these (idle_classes.h) */
	enum sd_wait told, wanted;
};

struct sd_thread_views {
	struct sd_thread_view **thread; /* owned by who fills it; ascending by tid */
	size_t n;
	/* those for which something may change, in the same order, the others being parked;
	 * NULL: all of them */
	struct sd_thread_view **active;
	size_t n_active;
	uint64_t before, now; /* ns: the last moment, and this one */
	int timed;            /* run_step and delay_step are known */
	int steady;           /* the same threads as at the last moment */
};

#endif
