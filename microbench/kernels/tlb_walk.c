#include "kernels/tlb_walk.h"

#include <math.h>

#include "harness/arena.h"
#include "loops/chase.h"
#include "harness/team.h"
#include "base/clock.h"

/*
 * Steps of a walk, a multiple of 16 and a few us: the fastest of some, since an
 * interrupt or who else uses the core can only add to it, and leaves some of the short ones alone.
 * More lines take longer walks, so that no part of the lap that is a fast one stands for all.
 */
#define STEPS 2048u
#define STEPS_LONG 8192u
#define STEPS_ALL (4 * STEPS_LONG)

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
	const size_t steps = n <= STEPS ? STEPS : STEPS_LONG;
	double best = INFINITY;

	for (size_t i = 0; i < STEPS_ALL / steps; i++) {
		const double start = sd_clock_s();
		double took;

		p = sd_chase_walk(p, steps);
		took = sd_clock_s() - start;
		best = took < best ? took : best;
	}
	__asm__ volatile("" ::"r"(p));
	return 1e9 * best / (double)steps;
}
