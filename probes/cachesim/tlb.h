/*
 * A set-associative TLB with true LRU.
 */
#ifndef SIM_TLB_H
#define SIM_TLB_H

#include <stdint.h>

struct sim_tlb {
	uint64_t sets;
	unsigned ways, shift;
	struct sim_tlb_way {
		uint64_t first; /* address of its page; all ones: empty */
		uint64_t stamp;
	} * way; /* owned */
};

/* Pages of 1 << shift bytes. entries 0: a TLB that never holds anything, with one empty way. 0 or
 * -ENOMEM. */
int sim_tlb_open(struct sim_tlb *t, unsigned entries, unsigned ways, unsigned shift);
void sim_tlb_close(struct sim_tlb *t);

/* Uses the page of an address at time `stamp`: 1 when it was there; it is afterwards (unless there
 * are no entries), in *at. */
int sim_tlb_use(struct sim_tlb *t, uint64_t address, uint64_t stamp, uint32_t *at);

#endif
