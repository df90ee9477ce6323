/* Votes counted by member, each with the weight that stands beside its count (see tally.c). */
#include <omp.h>

#include "work.h"

#define VOTES (240000000 / SMALLER)

#ifdef FIXED
#define APART 16
#else
#define APART 2
#endif
static volatile uint64_t ward[256 * APART];

int main(void)
{
#pragma omp parallel
	{
		volatile uint64_t *const mine = &ward[omp_get_thread_num() * APART];

		mine[1] = 3;

#pragma omp for schedule(static)
		for (int i = 0; i < VOTES; i++)
			mine[0] += (uint64_t)i & mine[1];
	}
	return 0;
}
