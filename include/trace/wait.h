/* A thread's wait, as recording sees it and attribution uses it to divide idle cores. */
#ifndef SD_WAIT_H
#define SD_WAIT_H

#include <stdint.h>

#include "record/core_time.h"

/* Which barrier of libgomp a futex belongs to, by the words around it (libgomp_barrier.h). */
enum sd_libgomp_barrier {
	SD_LIBGOMP_BARRIER_UNKNOWN,
	SD_LIBGOMP_BARRIER_REGION, /* peers of a parallel region wait for a late one */
	SD_LIBGOMP_BARRIER_DOCK,   /* workers wait for the next region */
};

/* A thread's wait, as far as it is known. */
struct sd_wait_seen {
	enum sd_wait wait;
	uint64_t address; /* the futex; 0 none */
	int plain;        /* a futex wait without a bitset: not a condition variable of glibc */
	int maybe_lock;   /* a mutex, but at a place that could also be a counter: see
			   * sd_wait_classes_again
			   */
};

#endif
