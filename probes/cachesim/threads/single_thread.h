/*
 * A thread while it is the only one of its process: no other can use its lines, so its misses go
 * straight to its L2 and LLC, without log, directory or ordering. The counts equal those that the
 * directory would give.
 */
#ifndef SIM_SOLO_H
#define SIM_SOLO_H

#include <stdint.h>

#include "threads/shared_levels.h"
#include "threads/guest_thread.h"

/* *t, which has its private caches, is the only thread from here on. */
void sim_single_begin(struct sim_machine *m, struct sim_thread *t);

__attribute__((noinline)) void sim_single_evict(
	struct sim_thread *t, uint64_t line); /* L1 evicted a modified line */

/* L2 missed a line: inserts it there, and in the LLC unless that has it. */
__attribute__((noinline)) void sim_single_fetch(struct sim_thread *t, uint64_t line, int in_llc);

/*
 * L1 missed a line and evicted `victim1` (line number + 1; 0 none) for it, modified if `dirty`; its
 * place is empty during this call.
 */
static inline void sim_single_miss(
	struct sim_thread *t, uint64_t line, int store, uint64_t victim1, int dirty)
{
	uint64_t *w;

	if (dirty && victim1)
		sim_single_evict(t, victim1 - 1);
	if (sim_cache_find(t->l2, line, 1)) {
		t->stall += t->latency->l2;
		return;
	}
	t->late.l2_misses++;
	t->late.rfo += (uint64_t)store;
	w = sim_cache_find(t->llc, line, 1);
	t->stall += w ? t->latency->llc : t->latency->memory;
	if (!w || t->l2->way)
		sim_single_fetch(t, line, w != NULL);
}

/* Removes from L2 and LLC a line that a non-temporal store writes; `dirty`: L1 had modified it. */
void sim_single_stream(struct sim_thread *t, uint64_t line, int dirty);

/* The thread is no longer alone: enters the contents of its caches into the directory. */
void sim_single_end(struct sim_machine *m, struct sim_thread *t);

#endif
