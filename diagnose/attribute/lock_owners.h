/*
 * Determines from wake-ups which places threads wait at are locks, and who held them.
 *
 * A mutex is recognisable. A lock made of a semaphore, a condition variable or a futex is not; who
 * ends the waits distinguishes it from a barrier, a queue or a pool:
 *
 * - A lock's waits are ended by the last holder, a thread that at other times waits there too. A
 *   queue's waits are ended by producers, which wait elsewhere or nowhere.
 * - A thread that released a lock finds it taken when it comes back: of waker and woken thread the
 *   waker is the next to wait. At a barrier of two either is, equally often. If a lock lets its
 *   releaser in again first, the woken thread has to wait again at once, after hardly running.
 * - A barrier wakes all its waiters at once, a lock one of them.
 *
 * The holder at any time is the thread that ends the next wait there. If the kernel does not report
 * wake-ups, it is guessed from who runs then.
 */
#ifndef SD_LOCK_OWNERS_H
#define SD_LOCK_OWNERS_H

#include "trace/timeline.h"

struct sd_lock_owners_end {
	uint64_t time;
	unsigned waker; /* thread */
};

/* One place of the timeline, by the same number. */
struct sd_lock_owners {
	int lock;                       /* mutual exclusion: its waits count as lock waits */
	unsigned decided;               /* number of ended waits that decided it */
	struct sd_lock_owners_end *end; /* owned; who ended waits, in time order */
	size_t n_end;
};

/* *out: one entry a place, owned by the caller. 0 or -ENOMEM (*out NULL). */
int sd_lock_owners_find(const struct sd_timeline *t, struct sd_lock_owners **out);
void sd_lock_owners_free(struct sd_lock_owners *c, size_t n); /* accepts NULL */

#endif
