/*
 * Which places threads wait at are locks, and who held them: from who woke whom.
 *
 * A mutex says what it is. A lock that a program made of a semaphore, a condition variable or a
 * futex does not; what tells it from a barrier, a queue or a pool is who ends the waits:
 *
 * - A lock's waits are ended by threads that wait there too, at other times: the last holder. A
 *   queue's are ended by producers, which wait elsewhere or nowhere.
 * - Whoever released a lock finds it taken when it comes back: of the two, the one that was woken
 *   and the one that woke it, the waker is the next to wait. At a barrier of two it is as often the
 *   one as the other. A lock that lets its releaser in again first makes the woken one wait again
 * at once, having run for next to nothing.
 * - A barrier wakes all that wait there in one go, a lock one of them.
 *
 * Who holds it at a time is who ends the next wait there. A kernel that does not tell who woke whom
 * leaves that to be guessed from who runs then.
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
	int lock;                       /* mutual exclusion: its waits are lock waits */
	unsigned decided;               /* how many ends of waits spoke for or against it */
	struct sd_lock_owners_end *end; /* owned; who ended waits, in the order of time */
	size_t n_end, room;
};

/* *out: one a place, owned by the caller. 0 or -ENOMEM (*out NULL). */
int sd_lock_owners_find(const struct sd_timeline *t, struct sd_lock_owners **out);
void sd_lock_owners_free(struct sd_lock_owners *c, size_t n); /* accepts NULL */

#endif
