#include "tlb_walk.h"

#include <math.h>

#include "arena.h"
#include "chase.h"
#include "team.h"

/* Some 20 us, a multiple of 16; the fastest of a few, since an interrupt can only add to it. */
#define STEPS 8192u
#define WALKS 4u

/*
 * Line i. Without the second term of `line`, memory that is contiguous would use only as many sets
 * of a large cache as a page has lines: the page's number and the offset would move in step.
 */
static unsigned char *line_at(unsigned char *base, size_t i, size_t stride, size_t small)
{
	const size_t lines = small / SD_TLB_LINE;
	const size_t line = (i + i / lines) % lines;

	if (stride <= SD_TLB_LINE)
		return base + i * stride;
	return base + i * stride + (stride > small ? i * small % stride : 0) + line * SD_TLB_LINE;
}

void *sd_tlb_build(unsigned char *base, unsigned n, size_t stride, uint64_t key)
{
	const struct sd_chase order = {.lines = n, .stride = SD_TLB_LINE, .key = key};
	const size_t small = sd_pages_bytes(SD_PAGES_BASE);
	unsigned char *first = line_at(base, sd_chase_order(&order, 0), stride, small);
	unsigned char *from = first;

	for (unsigned k = 1; k < n; k++) {
		unsigned char *to = line_at(base, sd_chase_order(&order, k), stride, small);

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
