/* Several operations on long vectors. */
#include "crew.h"
#include "team.h"
#include "work.h"

#define SIZE (20u << 20)
#define PASSES 20
#ifdef FIXED
#define BLOCK (16u << 10)
#else
#define BLOCK SIZE
#endif

static double *a, *b;

static void part(const struct team_member *m)
{
	const unsigned from = SIZE / m->n * m->id, to = SIZE / m->n * (m->id + 1);

	for (unsigned i = from; i < to; i++)
		b[i] = m->id; /* or all of it would be read from the kernel's page of zeroes */
	for (unsigned at = from; at < to; at += BLOCK) {
		const unsigned end = to - at < BLOCK ? to : at + BLOCK;

		for (int p = 0; p < PASSES; p++)
			for (unsigned i = at; i < end; i++)
				a[i] = a[i] * .5 + b[i];
	}
}

int main(void)
{
	a = crew_memory(SIZE * sizeof *a);
	b = crew_memory(SIZE * sizeof *b);
	team_run(work_threads(), part, NULL);
	return 0;
}
