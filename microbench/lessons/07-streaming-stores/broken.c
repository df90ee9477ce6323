/* A triad with regular stores: before a line is written, memory has to give it. */
#include <stdio.h>
#include <stdlib.h>

static void triad(double *a, const double *b, const double *c, long n)
{
#pragma omp parallel for
	for (long i = 0; i < n; i += 2) {
		a[i] = b[i] + 3 * c[i];
		a[i + 1] = b[i + 1] + 3 * c[i + 1];
	}
}

int main(int argc, char **argv)
{
	/* three arrays of so many MiB */
	const long n = (argc > 1 ? atol(argv[1]) : 48) * 1024 * 1024 / (long)sizeof(double);
	const int passes = argc > 2 ? atoi(argv[2]) : 24;
	const size_t bytes = (size_t)n * sizeof(double);
	double *const a = aligned_alloc(64, bytes), *const b = aligned_alloc(64, bytes),
		      *const c = aligned_alloc(64, bytes);

	if (!a || !b || !c)
		return 1;
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		a[i] = b[i] = c[i] = (double)i;
	for (int pass = 0; pass < passes; pass++)
		triad(a, b, c, n);
	printf("%g\n", a[n / 2]);
	free(a);
	free(b);
	free(c);
	return 0;
}
