/* A long loop with a count of what is done. */
#include "work.h"

#define ITEMS (20000000 / SMALLER)

static unsigned long done;

int main(void)
{
#ifdef FIXED
#pragma omp parallel for schedule(static) reduction(+ : done)
	for (int i = 0; i < ITEMS; i++) {
		done++;
		work(20 / WORK_STEPS);
	}
#else
#pragma omp parallel for schedule(static)
	for (int i = 0; i < ITEMS; i++) {
#pragma omp atomic
		done++;
		work(1 / WORK_STEPS);
	}
#endif
	return done != ITEMS;
}
