/*
 * The copies of a line, in private caches (tracked by the directory) and in LLCs: how they are
 * inserted, removed, and evicted from one level to the next.
 */
#ifndef SIM_COPIES_H
#define SIM_COPIES_H

#include "threads/shared_levels.h"

/* Sends a message to the slot's thread, which carries it out before it runs on. */
void sim_copies_tell(struct sim_machine *m, unsigned slot, uint64_t line, enum sim_word word);

struct sim_cache *sim_copies_llc(const struct sim_machine *m, unsigned slot); /* of its cluster */

int sim_copies_held(const struct sim_holder *h); /* in any private cache? */

/* Removes the line from one slot's private caches. */
void sim_copies_take(struct sim_machine *m, struct sim_holder *h, unsigned slot);

/* Inserts a line for thread *t; if that evicts a modified line, the write-back counts for *t. */
void sim_copies_into_llc(struct sim_machine *m, struct sim_thread *t, struct sim_cache *llc,
	uint64_t line, int dirty);
void sim_copies_into_l2(struct sim_machine *m, struct sim_thread *t, unsigned slot, uint64_t line);

/* L1 evicted a line: if modified and not in L2, it is inserted there. */
void sim_copies_out_of_l1(struct sim_machine *m, struct sim_thread *t, uint64_t line);

#endif
