/* A thread's wait, as recording sees it and attribution divides idle cores by. */
#ifndef SD_WAIT_H
#define SD_WAIT_H

#include <stdint.h>

#include "record/core_time.h"

/* What libgomp's words around a futex say of the barrier there (libgomp_barrier.h). */
enum sd_libgomp_barrier {
	SD_LIBGOMP_BARRIER_UNKNOWN,
	SD_LIBGOMP_BARRIER_REGION, /* peers of a parallel region wait for a late one */
	SD_LIBGOMP_BARRIER_DOCK,   /* workers wait for the next region */
};

/* A thread's wait, as far as it is known. */
struct sd_wait_seen {
	enum sd_wait wait;
	uint64_t address; /* the futex; 0 none */
	int plain; /* a futex waited for without a bit set: not a condition variable of glibc */
	int maybe_lock; /* a mutex where its place allows a counter too: see sd_wait_classes_again
			 */
};

#endif
