/*
 * How a line comes to a thread's private caches, or becomes writable there: what the directory and
 * the LLCs do for it.
 */
#ifndef SIM_MOVES_H
#define SIM_MOVES_H

#include "threads/shared_levels.h"

/* Takes all other copies: how many of them were on other cores. */
unsigned sim_moves_invalidate(
	struct sim_machine *m, const struct sim_thread *t, struct sim_holder *h);

/* Brings the line into the slot's private caches. `known`: its entry; NULL: it has none. `demand`
 * 0: a prefetch into L2. */
uint64_t sim_moves_fetch(struct sim_machine *m, struct sim_thread *t, uint64_t line,
	struct sim_holder *known, int store, int demand, struct sim_moved *moved);

/* A store to a private copy: E becomes M in silence, S asks the others. */
uint64_t sim_moves_own(
	struct sim_machine *m, struct sim_thread *t, struct sim_holder *h, struct sim_moved *moved);

/* Does a core or LLC of another cluster have the line? `h` may be NULL. */
int sim_moves_far(const struct sim_machine *m, const struct sim_thread *t, uint64_t line,
	const struct sim_holder *h);

#endif
