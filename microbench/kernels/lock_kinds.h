/*
 * The locks that the locks kernel compares: the system's, and the classic spinning ones. One row a
 * kind.
 */
#ifndef SD_LOCK_KINDS_H
#define SD_LOCK_KINDS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include "base/clock.h"

/* A waiter of the MCS lock: everyone spins on a line of his own. */
struct sd_lock_kind_node {
	_Alignas(128) _Atomic(struct sd_lock_kind_node *) next;
	atomic_int waiting;
};

struct sd_lock_kind {
	union {
		_Alignas(128) pthread_mutex_t mutex;
		pthread_spinlock_t spin;
		pthread_rwlock_t rwlock;
		struct {
			atomic_uint next, serving;
		} ticket;
		_Atomic(struct sd_lock_kind_node *) tail;
		_Atomic uint64_t word; /* for those that are one atomic instruction */
	};
	_Alignas(128) uint64_t guarded; /* plain: right only if the lock excludes */
};

/* What a thread does over and over, in iterations of sd_lock_kind_spin. */
struct sd_lock_kind_load {
	uint64_t inside, outside;
};

struct sd_lock_kind_kind {
	const char *name;
	int (*init)(struct sd_lock_kind *l); /* 0 or -errno */
	void (*destroy)(struct sd_lock_kind *l);
	/* NULL for single atomic instructions. The node is the caller's own while it holds or
	 * waits. */
	void (*acquire)(struct sd_lock_kind *l, struct sd_lock_kind_node *n);
	void (*release)(struct sd_lock_kind *l, struct sd_lock_kind_node *n);
	/* Takes the lock, counts, lets go, until sd_clock_s() > end; returns how often. */
	uint64_t (*hammer)(struct sd_lock_kind *l, struct sd_lock_kind_node *n,
		struct sd_lock_kind_load load, double end);
	int excludes; /* one holder at a time: afterwards sd_lock_kind_counted() is the sum of all
			 hammerings */
};

extern const struct sd_lock_kind_kind sd_lock_kinds[];
extern const unsigned sd_lock_kind_kinds_n;

/* Counts since init. */
uint64_t sd_lock_kind_counted(const struct sd_lock_kind_kind *kind, struct sd_lock_kind *l);

/* Busy for n iterations that depend on each other and touch no memory. */
void sd_lock_kind_spin(uint64_t n);

#endif
