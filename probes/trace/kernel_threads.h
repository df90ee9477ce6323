/*
 * Threads of the kernel that work for the tree: they write its journal, carry out its I/O and free
 * its memory. What they run is a part of what it costs, and not of what others took.
 *
 * A thread of the kernel works for who wakes it: for the tree in as many of its wake-ups as came
 * from the tree's threads, or from other threads of the kernel that worked for it. An interrupt
 * says nothing of whose work it brings. One that was woken by interrupts alone is a stranger.
 */
#ifndef SD_KERNEL_THREADS_H
#define SD_KERNEL_THREADS_H

#include <stdint.h>

#include "base/key_table.h"

/* Pairs of threads that are kept; of more, who comes later is a stranger. */
#define SD_KERNEL_THREADS_PAIRS 65536

/* Zeroed is the beginning. Numbers of threads are above 0. */
struct sd_kernel_threads {
	struct sd_key_table seen;
};

/* A thread that is none of the tree's ran for so long. */
void sd_kernel_threads_ran(struct sd_kernel_threads *k, int tid, uint64_t ns);

/* It was woken by thread `waker`, or by one of the tree's: 0. */
void sd_kernel_threads_woken(struct sd_kernel_threads *k, int tid, int waker);

/* How long the kernel's threads ran for the tree, ns, less than or as long as they ran. Which ones
 * are the kernel's is read from `root`/proc now: one that has ended is a stranger. */
double sd_kernel_threads_served(const struct sd_kernel_threads *k, const char *root);

void sd_kernel_threads_free(struct sd_kernel_threads *k); /* leaves it empty */

#endif
