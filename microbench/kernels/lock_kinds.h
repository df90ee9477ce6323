/*
 * The locks that the locks kernel compares: the system's, and the classic spinning ones. One row a
 * kind.
 */
#ifndef SD_LOCK_H
#define SD_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* A waiter of the MCS lock: everyone spins on a line of his own. */
struct sd_lock_node {
	_Alignas(128) _Atomic(struct sd_lock_node *) next;
	atomic_int waiting;
};

struct sd_lock {
	union {
		_Alignas(128) pthread_mutex_t mutex;
		pthread_spinlock_t spin;
		pthread_rwlock_t rwlock;
		struct {
			atomic_uint next, serving;
		} ticket;
		_Atomic(struct sd_lock_node *) tail;
		_Atomic uint64_t word; /* for those that are one atomic instruction */
	};
	_Alignas(128) uint64_t guarded; /* plain: right only if the lock excludes */
};

/* What a thread does over and over, in iterations of sd_lock_spin. */
struct sd_lock_load {
	uint64_t inside, outside;
};

struct sd_lock_kind {
	const char *name;
	int (*init)(struct sd_lock *l); /* 0 or -errno */
	void (*destroy)(struct sd_lock *l);
	/* NULL for single atomic instructions. The node is the caller's own while it holds or
	 * waits. */
	void (*acquire)(struct sd_lock *l, struct sd_lock_node *n);
	void (*release)(struct sd_lock *l, struct sd_lock_node *n);
	/* Takes the lock, counts, lets go, until sd_now() > end; returns how often. */
	uint64_t (*hammer)(
		struct sd_lock *l, struct sd_lock_node *n, struct sd_lock_load load, double end);
	int excludes; /* one holder at a time: afterwards sd_lock_counted() is the sum of all
			 hammerings */
};

extern const struct sd_lock_kind sd_lock_kinds[];
extern const unsigned sd_lock_kinds_n;

/* Counts since init. */
uint64_t sd_lock_counted(const struct sd_lock_kind *kind, struct sd_lock *l);

/* Busy for n iterations that depend on each other and touch no memory. */
void sd_lock_spin(uint64_t n);

#endif
