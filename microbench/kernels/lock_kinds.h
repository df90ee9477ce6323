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

/* A waiter of the MCS lock: each spins on its own line. */
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
		_Atomic uint64_t word; /* for kinds that are one atomic instruction */
	};
	_Alignas(128) uint64_t guarded; /* not atomic: correct only if the lock excludes */
};

/* Work that a thread repeats, in iterations of sd_lock_kind_spin. */
struct sd_lock_kind_load {
	uint64_t inside, outside;
};

struct sd_lock_kind_kind {
	const char *name;
	int (*init)(struct sd_lock_kind *l); /* 0 or -errno */
	void (*destroy)(struct sd_lock_kind *l);
	/* NULL for single atomic instructions. The caller must keep the node while it holds the
	 * lock or waits. */
	void (*acquire)(struct sd_lock_kind *l, struct sd_lock_kind_node *n);
	void (*release)(struct sd_lock_kind *l, struct sd_lock_kind_node *n);
	/* Acquires the lock, counts if anything is to be done inside, releases, until sd_clock_s()
	 * > end; returns how often. */
	uint64_t (*hammer)(struct sd_lock_kind *l, struct sd_lock_kind_node *n,
		struct sd_lock_kind_load load, double end);
	int excludes; /* mutual exclusion */
};

extern const struct sd_lock_kind_kind sd_lock_kinds[];
extern const unsigned sd_lock_kind_kinds_n;

/* After all together were so often in the lock since its init, says whether none was lost, as far
 * as that load tells. */
int sd_lock_kind_exact(const struct sd_lock_kind_kind *kind, struct sd_lock_kind *l,
	struct sd_lock_kind_load load, uint64_t sum);

/* Computes n dependent iterations without touching memory. */
void sd_lock_kind_spin(uint64_t n);

#endif
