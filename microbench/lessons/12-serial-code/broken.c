/* One thread reads the input, then all work on it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double read_input(long i)
{
	return sqrt((double)i) + sin((double)i);
}

static double work(double x)
{
	return exp(-x * 1e-3) + cos(x);
}

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 8000000;
	double *const data = malloc((size_t)n * sizeof *data);
	double sum = 0;

	if (!data)
		return 1;
	for (long i = 0; i < n; i++)
		data[i] = read_input(i);
#pragma omp parallel for reduction(+ : sum)
	for (long i = 0; i < n; i++)
		sum += work(data[i]);
	printf("%g\n", sum);
	free(data);
	return 0;
}
