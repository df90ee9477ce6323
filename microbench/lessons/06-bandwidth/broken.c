/* A triad again and again over arrays far larger than the caches: each pass is from memory. */
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 16384 /* doubles */

static void triad(double *restrict a, const double *restrict b, long from, long to, int pass)
{
	for (long i = from; i < to; i++)
		a[i] = a[i] * 0.5 + b[i] * pass;
}

int main(int argc, char **argv)
{
	/* two arrays of so many MiB */
	const long n = (argc > 1 ? atol(argv[1]) : 64) * 1024 * 1024 / (long)sizeof(double);
	const int passes = argc > 2 ? atoi(argv[2]) : 24;
	const long blocks = n / BLOCK;
	double *const a = malloc((size_t)n * sizeof *a), *const b = malloc((size_t)n * sizeof *b);

	if (!a || !b)
		return 1;
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		a[i] = b[i] = (double)i;

	for (int pass = 0; pass < passes; pass++)
#pragma omp parallel for
		for (long k = 0; k < blocks; k++)
			triad(a, b, k * BLOCK, (k + 1) * BLOCK, pass);

	printf("%g\n", a[n / 2]);
	free(a);
	free(b);
	return 0;
}
