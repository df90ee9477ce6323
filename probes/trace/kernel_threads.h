/*
 * Kernel threads that work for the tree: they write its journal, carry out its I/O and free its
 * memory. Their time is part of the tree's cost, not time taken by others.
 *
 * A kernel thread works for whoever wakes it: for the tree in the share of its wake-ups that came
 * from the tree's threads, or from kernel threads that worked for the tree. An interrupt does not
 * tell whose work it brings. A thread woken only by interrupts is foreign.
 */
#ifndef SD_KERNEL_THREADS_H
#define SD_KERNEL_THREADS_H

#include <stdint.h>

#include "base/key_table.h"

/* Waker pairs kept; threads of later pairs count as foreign. */
#define SD_KERNEL_THREADS_PAIRS 65536

/* Zeroed is the initial state. Tids are above 0. */
struct sd_kernel_threads {
	struct sd_key_table seen;
};

/* A thread outside the tree ran for that long. */
void sd_kernel_threads_ran(struct sd_kernel_threads *k, int tid, uint64_t ns);

/* It was woken by thread `waker`; 0: by a thread of the tree. */
void sd_kernel_threads_woken(struct sd_kernel_threads *k, int tid, int waker);

/* How long kernel threads ran for the tree, ns, at most as long as they ran. Which are kernel
 * threads is read from `root`/proc now, so ended ones count as foreign. */
double sd_kernel_threads_served(const struct sd_kernel_threads *k, const char *root);

void sd_kernel_threads_free(struct sd_kernel_threads *k); /* leaves it empty */

#endif
