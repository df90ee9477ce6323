/*
 * What a thread waits for: the classes that recording tells apart and attribution divides idle
 * cores by.
 */
#ifndef SD_WAIT_H
#define SD_WAIT_H

#include <stdint.h>

enum sd_wait {
	SD_WAIT_NONE,  /* runs or is ready to */
	SD_WAIT_LOCK,  /* a mutex or another lock */
	SD_WAIT_SYNC,  /* a barrier, condition or semaphore: for what peers do */
	SD_WAIT_JOIN,  /* for the end of a thread or a child process, or for a signal */
	SD_WAIT_DISK,  /* a block device */
	SD_WAIT_SLEEP, /* a timer */
	SD_WAIT_PIPE,  /* a pipe: for what a peer writes or reads; the tree inherits none from us */
	SD_WAIT_NETWORK, /* a socket, a terminal, anything polled */
	SD_WAIT_KERNEL,  /* a lock of the kernel itself: the address space, page tables */
	SD_WAIT_TASK,    /* a task to run, of a runtime that schedules them; not known why there is
			    none */
	SD_WAIT_UNKNOWN,
	SD_WAIT_GONE, /* a zombie, stopped, dead: waits for nothing */
	SD_WAIT_COUNT
};

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
