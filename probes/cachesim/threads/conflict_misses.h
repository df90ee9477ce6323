/*
 * Conflict misses: those a fully associative cache of the same size would not have, because fewer
 * distinct lines than the cache holds were used since the last use of the line. Determined exactly,
 * for one miss in SIM_CONFLICT_EVERY; after SIM_CONFLICT_ENOUGH looks, for one in
 * SIM_CONFLICT_LATER.
 */
#ifndef SIM_CONFLICT_H
#define SIM_CONFLICT_H

#include <stddef.h>
#include <stdint.h>

#define SIM_CONFLICT_EVERY 251 /* primes: loops have other periods */
#define SIM_CONFLICT_LATER 2039
#define SIM_CONFLICT_ENOUGH 500 /* looks: their share is then known to 1/sqrt(500), 4 % */
#define SIM_CONFLICT_PLACES 256 /* instructions that are distinguished */

struct sim_conflict {
	size_t lines, ring; /* lines of the cache; size of the ring, a power of two */
	struct sim_evicted {
		uint64_t line1, stamp, when; /* stamp: its last use; both as L1's stamps */
	} * evicted;                         /* owned; ring buffer in order of eviction */
	uint64_t head, from;                 /* from: older entries are void */
	uint64_t *met; /* owned; lines met during a look, by hash, with the number of the look */
	uint64_t looks, left; /* left: misses until the next look */
	uint64_t conflicts;   /* scaled */
	uint64_t pc, address; /* of the last conflict found, until that pc misses again */
	struct sim_conflict_place {
		uint64_t pc;
		int64_t stride; /* most frequent stride after a conflict, by majority vote */
		uint64_t votes, misses;
	} place[SIM_CONFLICT_PLACES];
};

int sim_conflict_open(struct sim_conflict *c, size_t lines); /* 0 or -ENOMEM */
void sim_conflict_retire(struct sim_conflict *c); /* frees the working memory; the results stay */

/* A line was evicted at `when`; `stamp` is its last use. */
static inline void sim_conflict_evict(
	struct sim_conflict *c, uint64_t line1, uint64_t stamp, uint64_t when)
{
	/* A miss evicts at most one line: an entry made now would be overwritten by the next look.
	 */
	if (c->left >= c->ring)
		return;
	c->evicted[c->head++ & (c->ring - 1)] =
		(struct sim_evicted){.line1 = line1, .stamp = stamp, .when = when};
}

void sim_conflict_look(struct sim_conflict *c, uint64_t line, uint64_t address, uint64_t pc,
	const uint64_t *stamps, size_t n);
void sim_conflict_vote(struct sim_conflict *c, uint64_t address);

/* Call on a miss, before the line is inserted. `stamps` are those of the cache, of n ways
 * (guest_thread.h); empty ways have the earliest stamp. */
static inline void sim_conflict_miss(struct sim_conflict *c, uint64_t line, uint64_t address,
	uint64_t pc, const uint64_t *stamps, size_t n)
{
	if (pc == c->pc)
		sim_conflict_vote(c, address);
	if (c->left-- == 0)
		sim_conflict_look(c, line, address, pc, stamps, n);
}

#endif
