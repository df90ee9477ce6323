/* Sums of all threads in one array on the stack of main(), whose parallel region they run. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 1;
	const long times = argc > 2 ? atol(argv[2]) : 1000000;
	long sums[8] __attribute__((aligned(64))) = {0};

#pragma omp parallel num_threads(n)
	{
		volatile long *const own = &sums[omp_get_thread_num() % 8];

		for (long i = 0; i < times; i++)
			*own += i;
	}
	printf("%ld\n", sums[0]);
	return 0;
}
