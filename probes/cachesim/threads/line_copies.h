/*
 * Where the copies of a line are: in private caches, which the directory knows, and in LLCs. How
 * they come and go, one level giving what it has no room for to the next.
 */
#ifndef SIM_COPIES_H
#define SIM_COPIES_H

#include "threads/shared_levels.h"

/* The slot's thread will do this to its L1 before it runs on. */
void sim_copies_tell(struct sim_machine *m, unsigned slot, uint64_t line, enum sim_word word);

struct sim_cache *sim_copies_llc(const struct sim_machine *m, unsigned slot); /* of its cluster */

int sim_copies_held(const struct sim_holder *h); /* by any private cache */

/* Takes the line from one slot's private caches. */
void sim_copies_take(struct sim_machine *m, struct sim_holder *h, unsigned slot);

/* For thread *t, whose write-back it is when that pushes out a modified line. */
void sim_copies_into_llc(struct sim_machine *m, struct sim_thread *t, struct sim_cache *llc,
	uint64_t line, int dirty);
void sim_copies_into_l2(struct sim_machine *m, struct sim_thread *t, unsigned slot, uint64_t line);

/* L1 gave up a line: a modified one that L2 has not goes there. */
void sim_copies_out_of_l1(struct sim_machine *m, struct sim_thread *t, uint64_t line);

#endif
