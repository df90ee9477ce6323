/*
 * A set-associative TLB with true LRU.
 */
#ifndef SIM_TLB_H
#define SIM_TLB_H

#include <stdint.h>

struct sim_tlb {
	uint64_t sets;
	unsigned ways;
	struct sim_tlb_way {
		uint64_t page1; /* page number + 1; 0 empty */
		uint64_t stamp;
	} * way; /* owned */
};

/* entries 0: a TLB that never holds anything, with one empty way. 0 or -ENOMEM. */
int sim_tlb_open(struct sim_tlb *t, unsigned entries, unsigned ways);
void sim_tlb_close(struct sim_tlb *t);

/* Uses `page` at time `stamp`: 1 when it was there; it is afterwards (unless there are no entries),
 * in *at. */
int sim_tlb_use(struct sim_tlb *t, uint64_t page, uint64_t stamp, uint32_t *at);

#endif
