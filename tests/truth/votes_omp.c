/* Votes counted by ward and member. */
#include <omp.h>

#include "work.h"

#define VOTES (240000000 / SMALLER)

#ifdef FIXED
#define APART 16
#else
#define APART 1
#endif
static volatile uint64_t ward[256 * APART];

int main(void)
{
#pragma omp parallel
	{
		volatile uint64_t *const mine = &ward[omp_get_thread_num() * APART];

#pragma omp for schedule(static)
		for (int i = 0; i < VOTES; i++)
			*mine += (uint64_t)i & 3;
	}
	return 0;
}
