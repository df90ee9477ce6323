/* A row of filters over a long signal. */
#include "crew.h"
#include "work.h"

#define SIZE (48 << 20)
#define FILTERS 32
#ifdef FIXED
#define BLOCK (32 << 10)
#else
#define BLOCK (SIZE / 96)
#endif

int main(void)
{
	float *const x = crew_memory(SIZE * sizeof *x);

#ifdef FIXED
#pragma omp parallel for schedule(static)
	for (int at = 0; at < SIZE; at += BLOCK)
		for (int f = 0; f < FILTERS; f++)
			for (int i = at; i < at + BLOCK; i++)
				x[i] = x[i] * .5f + (float)f;
#else
	for (int f = 0; f < FILTERS; f++)
#pragma omp parallel for schedule(static)
		for (int at = 0; at < SIZE; at += BLOCK)
			for (int i = at; i < at + BLOCK; i++)
				x[i] = x[i] * .5f + (float)f;
#endif
	return 0;
}
