/*
 * One emulated process: its threads, their logical clocks, and the window that no running thread
 * may leave. The last thread to reach the window's end replays the logs of all threads in clock
 * order.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "threads/core_placement.h"
#include "threads/shared_levels.h"
#include "model/plugin_options.h"
#include "threads/guest_thread.h"
#include "threads/thread_waits.h"

#define SIM_THREADS 65534 /* in the lifetime of a process */

struct sim_run {
	const struct sim_options *o; /* borrowed */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* the window */
	struct sim_machine machine;
	struct sim_placement placement;
	struct sim_huge huge;
	struct sim_thread **thread; /* owned, each owned; SIM_THREADS places */
	size_t n_thread, n_seen;
	uint64_t until;         /* the window's end, in cycles */
	int coming;             /* threads created by clone that have not begun */
	uint64_t coming_by;     /* ms of CLOCK_MONOTONIC until which they are waited for */
	struct sim_waits waits; /* of a machine that is modelled with its times */
	uint64_t overruns;      /* times a thread was let past it */
	uint64_t unsimulated;   /* threads without private caches: all slots were taken */
	struct sim_thread
		*alone; /* the only thread, if begun by sim_run_begin_alone(); else NULL */
	int rests;      /* no access is modelled now */
	int over;       /* the run has ended: threads must not go on */
	struct sim_block **block; /* owned, each owned; under its own lock */
	size_t n_block, block_room;
	pthread_mutex_t block_lock;
	struct sim_block_count *gone; /* owned; block counts of threads that have ended */
	size_t n_gone;
	void (*idle)(
		struct sim_run *r, void *arg); /* after a replay, under the lock; may be NULL */
	void *idle_arg;
};

int sim_run_open(struct sim_run *r, const struct sim_options *o); /* 0 or -ENOMEM */
void sim_run_close(struct sim_run *r);

/* A thread begins to run; NULL: no room for it. */
struct sim_thread *sim_run_begin(struct sim_run *r, int tid);

/*
 * Begins the first thread of the run. The caller must call sim_run_together() in that thread before
 * a second one can begin; a thread that begins earlier is not simulated.
 */
struct sim_thread *sim_run_begin_alone(struct sim_run *r, int tid);
void sim_run_together(struct sim_run *r);

/* The thread reached its limit: returns when it may go on, or, with sim_run.over set, must not. */
void sim_run_reach(struct sim_run *r, struct sim_thread *t);

/* The thread did something other than a memory access that may order it with others. */
void sim_run_order(struct sim_thread *t);

/* The thread created another, which will begin soon: the window waits for it. */
void sim_run_expect(struct sim_run *r);

/*
 * Before a call at which threads wait for each other: returns when all have come to the window's
 * end and the thread's accesses are replayed, so that its clock is what it will stay. A thread that
 * wakes others wakes them at that time.
 */
void sim_run_catch_up(struct sim_run *r, struct sim_thread *t);

/* So many threads were woken by its call, which is over: the window waits for them. */
void sim_run_woke(struct sim_run *r, struct sim_thread *t, uint64_t n);

/* The thread leaves the window for a system call that may block. */
void sim_run_leave(struct sim_run *r, struct sim_thread *t);

/* It returns: it goes on when the others are now; at the time of the thread that woke it; or at
 * once, since there was nothing to wait for. */
enum sim_return { SIM_RETURN_NOW, SIM_RETURN_WOKEN, SIM_RETURN_AT_ONCE };
void sim_run_return(struct sim_run *r, struct sim_thread *t, enum sim_return how);

/* The thread ends. The run owns *t from here on. */
void sim_run_end(struct sim_run *r, struct sim_thread *t);

/* Sum of all threads' instructions, simulated or not. */
uint64_t sim_run_instructions(const struct sim_run *r);

/*
 * Ends the run: stops the threads at their next block, waits for them a short time, and replays the
 * rest. Returns how many threads did not stop. The lock is held on return.
 */
unsigned sim_run_finish(struct sim_run *r, const struct sim_thread *self);

#endif
