/*
 * A set-associative TLB with true LRU.
 */
#ifndef SIM_TLB_H
#define SIM_TLB_H

#include <stdint.h>

struct sim_tlb {
	uint64_t sets;
	unsigned ways, shift;
	struct sim_tlb_ways *way; /* borrowed */
};

#define SIM_TLB_ENTRIES 65536u
/* Room for the largest TLB; unused entries are never touched. */
struct sim_tlb_ways {
	uint64_t first[SIM_TLB_ENTRIES]; /* address of its page, or of the last used small page
					    within a huge one; all ones: empty */
	uint64_t key[SIM_TLB_ENTRIES];   /* address of its page, + 1 if it is huge */
	uint64_t stamp[SIM_TLB_ENTRIES];
};

/* Pages of 1 << shift bytes; *memory is zeroed. entries 0: a TLB that always misses, with one empty
 * way. */
void sim_tlb_open(struct sim_tlb *t, unsigned entries, unsigned ways, unsigned shift,
	struct sim_tlb_ways *memory);

/* Accesses the page of an address, huge or not, at time `stamp`. 1: hit. Afterwards it is cached
 * (unless there are no entries), at index *at. */
int sim_tlb_use(struct sim_tlb *t, uint64_t address, int huge, uint64_t stamp, uint32_t *at);

#endif
