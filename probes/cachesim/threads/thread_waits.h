/*
 * Waits at futexes on a machine that is modelled with its times (core_model.h): who waited, from
 * when to when of the machine's clock. A woken thread goes on at the time of the call that woke it,
 * however late it gets a CPU of this node, so that its wait does not depend on that: the window
 * stays until it has come. Under the run's lock.
 */
#ifndef SIM_THREAD_WAITS_H
#define SIM_THREAD_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "threads/guest_thread.h"

#define SIM_WAITS_MOST 250000 /* more are not kept */

struct sim_waits_one {
	unsigned thread; /* its index */
	struct sim_futex at;
	uint64_t from, to;
};

/* A call that wakes. */
struct sim_waits_call {
	unsigned thread; /* whose */
	int over;
	uint64_t address, clock;
	int64_t left; /* woken, without those that have come */
};

/* Zeroed is empty. */
struct sim_waits {
	struct sim_waits_one *one; /* owned */
	size_t n, room;
	int lost; /* not all are kept */
	struct sim_waits_call
		*call; /* owned; oldest first, those that somebody may still come of */
	size_t n_call, room_call;
	uint64_t coming; /* threads that calls that are over have woken, and that have not come */
};

void sim_waits_close(struct sim_waits *w);

/* A thread calls to wake those that wait there; and has woken so many. */
void sim_waits_wake(struct sim_waits *w, unsigned thread, uint64_t address, uint64_t clock);
void sim_waits_woke(struct sim_waits *w, unsigned thread, uint64_t n);

/* The thread of this number ends, which wakes those that wait for it: whether there are any. */
int sim_waits_ended(
	struct sim_waits *w, struct sim_thread *const *all, size_t n, int tid, uint64_t clock);

/* One that waited there was woken: 1, and the time of the call; 0: no call is known. */
int sim_waits_came(struct sim_waits *w, uint64_t address, uint64_t *clock);

/* Nobody comes any more. */
void sim_waits_forget(struct sim_waits *w);

void sim_waits_keep(struct sim_waits *w, const struct sim_thread *t, uint64_t from, uint64_t to);

#endif
