/* The 1.1f is a float: nothing is converted, and a vector holds twice as many. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 4096
#define ONE 1.1f

/* noinline: the loop stays the loop that one reads */
__attribute__((noinline)) static void add(float *a)
{
	for (int i = 0; i < SIZE; i++)
		a[i] = a[i] + ONE;
}

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? atol(argv[1]) : 400000;
	double sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		_Alignas(64) float a[SIZE] = {0};

#pragma omp for
		for (long r = 0; r < rounds; r++)
			add(a);
		sum += a[0];
	}
	printf("%g\n", sum);
	return 0;
}
