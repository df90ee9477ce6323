/*
 * One emulated process: its threads, their logical clocks, and the window that no running thread
 * may outrun. Who comes last to the window's end replays what all of them logged, by clock.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "threads/shared_levels.h"
#include "model/plugin_options.h"
#include "threads/guest_thread.h"

#define SIM_THREADS 65534 /* of a process's whole life */

struct sim_run {
	const struct sim_options *o; /* borrowed */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* the window */
	struct sim_machine machine;
	struct sim_huge huge;
	struct sim_thread **thread; /* owned, each owned; SIM_THREADS places */
	size_t n_thread, n_seen;
	uint64_t until;           /* the window's end, in cycles */
	int coming;               /* threads that clone has made, and that have not begun */
	uint64_t coming_by;       /* ms of CLOCK_MONOTONIC, when they are waited for no longer */
	uint64_t overruns;        /* times that a thread was let past it */
	uint64_t unsimulated;     /* threads that found no private caches */
	struct sim_thread *alone; /* the only thread so far, told so; NULL otherwise */
	int over;                 /* no thread comes back from here */
	struct sim_block **block; /* owned, each owned; under its own lock */
	size_t n_block, block_room;
	pthread_mutex_t block_lock;
	struct sim_block_count *gone; /* owned; counts of blocks by threads that are gone */
	size_t n_gone;
	void (*idle)(
		struct sim_run *r, void *arg); /* after a replay, under the lock; may be NULL */
	void *idle_arg;
};

int sim_run_open(struct sim_run *r, const struct sim_options *o); /* 0 or -ENOMEM */
void sim_run_close(struct sim_run *r);

/* A thread begins to run; NULL when there is no room for it. */
struct sim_thread *sim_run_begin(struct sim_run *r, int tid);

/*
 * The first thread of the run begins to run, and whoever calls will say, by sim_run_together() in
 * that thread and before a second one can begin, when it is no longer alone. A thread that begins
 * before that is not simulated.
 */
struct sim_thread *sim_run_begin_alone(struct sim_run *r, int tid);
void sim_run_together(struct sim_run *r);

/* It came to its limit: returns when it may go on, or (sim_run.over) must not. */
void sim_run_reach(struct sim_run *r, struct sim_thread *t);

/* It has done something that may order it with others, outside memory. */
void sim_run_order(struct sim_thread *t);

/* It has made a thread that will begin soon: the window waits for it. */
void sim_run_expect(struct sim_run *r);

/* It leaves the window for a system call that may block, and comes back. */
void sim_run_leave(struct sim_run *r, struct sim_thread *t);
void sim_run_return(struct sim_run *r, struct sim_thread *t);

/* It ends. *t is the run's from now on. */
void sim_run_end(struct sim_run *r, struct sim_thread *t);

/*
 * The end: stops the threads at their next block, waits for them a short while, and replays what is
 * left. Returns how many threads did not stop. The lock is held afterwards.
 */
unsigned sim_run_finish(struct sim_run *r, const struct sim_thread *self);

#endif
