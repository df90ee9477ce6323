/* Cells of a model, one for each member, updated in place by what each lets through (see
 * tally.c). */
#include "crew.h"
#include "work.h"

#define UPDATES (900000000 / SMALLER)

struct cell {
	volatile uint64_t value, mask;
};
static struct cell *cell[CREW_MAX];

/* Two blocks of malloc() may lie in two lines: the cells of one array do not. */
static struct cell *new_cell(unsigned i)
{
#ifdef FIXED
	(void)i;
	return aligned_alloc(128, 128);
#else
	static struct cell *all;

	if (!all)
		all = aligned_alloc(64, CREW_MAX * sizeof *all);
	return all ? &all[i] : NULL;
#endif
}

static void part(unsigned id, unsigned n)
{
	struct cell *const c = cell[id];

	for (unsigned i = id; i < UPDATES; i += n)
		c->value ^= i & c->mask;
}

int main(void)
{
	const unsigned n = work_threads();

	for (unsigned i = 0; i < n; i++)
		if (!(cell[i] = new_cell(i)))
			return 1;
		else
			*cell[i] = (struct cell){.mask = 0xffff};
	crew_threads(n, part);
	return 0;
}
