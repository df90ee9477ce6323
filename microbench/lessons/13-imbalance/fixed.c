/* The lower triangle of a matrix: rows grow, and who is done with some takes the next ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 15000;
	const int steps = argc > 2 ? atoi(argv[2]) : 1;
	double sum = 0;

	for (int s = 0; s < steps; s++)
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : sum)
		for (long row = 0; row < n; row++)
			for (long column = 0; column <= row; column++)
				sum += sqrt((double)row + (double)column * 0.5);
	printf("%g\n", sum);
	return 0;
}
