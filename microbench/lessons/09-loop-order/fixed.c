/* A matrix is walked along its rows: the leading dimension is in the inner loop. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 3000;
	const int steps = argc > 2 ? atoi(argv[2]) : 6;
	double *const a = malloc((size_t)(n * n) * sizeof *a);
	double sum = 0;

	if (!a)
		return 1;
#pragma omp parallel for
	for (long i = 0; i < n * n; i++)
		a[i] = (double)(i % 100);
	for (int s = 0; s < steps; s++)
#pragma omp parallel for reduction(+ : sum)
		for (long row = 0; row < n; row++)
			for (long column = 0; column < n; column++)
				sum += a[row * n + column];
	printf("%g\n", sum);
	free(a);
	return 0;
}
