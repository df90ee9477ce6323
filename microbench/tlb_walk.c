#include "tlb_walk.h"

#include <math.h>

#include "arena.h"
#include "chase.h"
#include "team.h"

/* Some 20 us, a multiple of 16; the fastest of a few, since an interrupt can only add to it. */
#define STEPS 8192u
#define WALKS 4u

void *sd_tlb_build(unsigned char *base, unsigned n, size_t stride, uint64_t key)
{
	const struct sd_chase order = {.lines = n, .stride = SD_TLB_LINE, .key = key};
	const size_t small = sd_pages_bytes(SD_PAGES_BASE);
	const size_t turn = (stride > small ? small : 0) + (stride > SD_TLB_LINE ? SD_TLB_LINE : 0);
	const size_t begin = sd_chase_order(&order, 0);
	unsigned char *first = base + begin * stride + begin * turn % stride, *from = first;

	for (unsigned k = 1; k < n; k++) {
		const size_t i = sd_chase_order(&order, k);
		unsigned char *to = base + i * stride + i * turn % stride;

		*(void **)(void *)from = to;
		from = to;
	}
	*(void **)(void *)from = first;
	return first;
}

double sd_tlb_walk(void *begin, unsigned n)
{
	void *p = sd_chase_walk(begin, (2 * (size_t)n + 15) / 16 * 16);
	double best = INFINITY;

	for (unsigned i = 0; i < WALKS; i++) {
		const double start = sd_now();
		double took;

		p = sd_chase_walk(p, STEPS);
		took = sd_now() - start;
		best = took < best ? took : best;
	}
	__asm__ volatile("" ::"r"(p));
	return 1e9 * best / STEPS;
}
