/*
 * The pages one thread touched, by page number, with the TLB misses of each: a histogram over
 * virtual addresses.
 */
#ifndef SIM_PAGES_H
#define SIM_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct sim_pages {
	struct sim_page {
		uint64_t page1; /* page number + 1; 0 empty */
		uint64_t misses;
	} * page; /* owned; open addressing */
	size_t size, used;
	int lost; /* pages not stored: out of memory */
};

void sim_pages_add(struct sim_pages *p, uint64_t page);
int sim_pages_has(const struct sim_pages *p, uint64_t page);
void sim_pages_close(struct sim_pages *p); /* accepts the zeroed value, leaves it */

#endif
