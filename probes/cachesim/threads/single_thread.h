/*
 * A thread while it is the only one of its process: nobody can want its lines, so its misses go
 * straight to its L2 and LLC, without log, directory or order. The counts are those that the
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
	struct sim_thread *t, uint64_t line); /* L1 gave up a modified line */

/* L2 has a line missed, and puts it in; so does the LLC unless it has it. */
__attribute__((noinline)) void sim_single_fetch(struct sim_thread *t, uint64_t line, int in_llc);

/*
 * L1 misses a line, and gave up `victim1` (line number + 1; 0 none) for it, modified or not: its
 * place is empty when this is called.
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

/* L2 and LLC give a line up that is written past them; `dirty`: L1 had modified it. */
void sim_single_stream(struct sim_thread *t, uint64_t line, int dirty);

/* It is no longer alone: the directory learns what its caches hold. */
void sim_single_end(struct sim_machine *m, struct sim_thread *t);

#endif
