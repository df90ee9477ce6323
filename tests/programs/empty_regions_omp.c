/*
 * Cost of an empty parallel region: empty_regions_omp REGIONS prints ns, the least of some turns.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define TURNS 20

int main(int argc, char **argv)
{
	const int regions = argc > 1 ? atoi(argv[1]) : 20000;
	double best = 1e9;

	for (int turn = 0; turn < TURNS; turn++) {
		const double start = omp_get_wtime();

		for (int i = 0; i < regions; i++) {
#pragma omp parallel
			__asm__ volatile("" ::: "memory");
		}
		if (omp_get_wtime() - start < best)
			best = omp_get_wtime() - start;
	}
	printf("%.1f\n", best / regions * 1e9);
	return 0;
}
