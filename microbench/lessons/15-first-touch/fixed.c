/* Every thread writes first what it will use: the kernel puts those pages on its own node. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const long n = (argc > 1 ? atol(argv[1]) : 128) * 1024 * 1024 / (long)sizeof(double);
	const int passes = argc > 2 ? atoi(argv[2]) : 10;
	double *const a = malloc((size_t)n * sizeof *a), *const b = malloc((size_t)n * sizeof *b);

	if (!a || !b)
		return 1;
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		a[i] = b[i] = (double)i;
	for (int pass = 0; pass < passes; pass++)
#pragma omp parallel for
		for (long i = 0; i < n; i++)
			a[i] += b[i] * pass;
	printf("%g\n", a[n / 2]);
	free(a);
	free(b);
	return 0;
}
