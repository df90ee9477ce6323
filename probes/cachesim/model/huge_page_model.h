/*
 * Memory for which the program requested 2 MiB pages (madvise). The model grants every request;
 * huge pages that a kernel gives unasked are not modelled.
 */
#ifndef SIM_HUGE_H
#define SIM_HUGE_H

#include <stdint.h>

#define SIM_HUGE_SHIFT 21u
#define SIM_HUGE_RANGES 64u /* further ranges stay in small pages */

/* Zeroed, it is empty. One thread at a time may change it while others read. */
struct sim_huge {
	struct sim_huge_range {
		uint64_t start, end; /* of whole pages; equal: unused */
	} range[SIM_HUGE_RANGES];
	unsigned n; /* ranges ever in use */
};

void sim_huge_want(struct sim_huge *h, uint64_t start, uint64_t bytes);

/* The request was withdrawn (madvise), or the memory unmapped. */
void sim_huge_forget(struct sim_huge *h, uint64_t start, uint64_t bytes);

static inline int sim_huge_has(const struct sim_huge *h, uint64_t address)
{
	const unsigned n = h ? __atomic_load_n(&h->n, __ATOMIC_ACQUIRE) : 0;

	for (unsigned i = 0; i < n; i++)
		if (address >= __atomic_load_n(&h->range[i].start, __ATOMIC_RELAXED) &&
			address < __atomic_load_n(&h->range[i].end, __ATOMIC_RELAXED))
			return 1;
	return 0;
}

#endif
