/* Cells of a model, one for each member, updated in place. */
#include <malloc.h>

#include "crew.h"
#include "work.h"

#define UPDATES (300000000 / SMALLER)

struct cell {
	volatile uint64_t value;
};
static struct cell *cell[CREW_MAX];

static struct cell *new_cell(void)
{
#ifdef FIXED
	return aligned_alloc(128, 128);
#else
	return malloc(sizeof(struct cell));
#endif
}

static void part(unsigned id, unsigned n)
{
	struct cell *const c = cell[id];

	for (unsigned i = id; i < UPDATES; i += n)
		c->value ^= i;
}

int main(void)
{
	const unsigned n = work_threads();

	for (unsigned i = 0; i < n; i++)
		if (!(cell[i] = new_cell()))
			return 1;
		else
			cell[i]->value = 0;
	crew_threads(n, part);
	return 0;
}
