/* The lower triangle of a matrix: rows grow, and every rank gets equally many of them, in a block.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 2000

static double sum_of_rows(int rank, int ranks, double x)
{
	double sum = 0;

	for (long row = (long)ROWS * rank / ranks; row < (long)ROWS * (rank + 1) / ranks; row++)
		for (long column = 0; column <= row; column++)
			sum += sqrt(x + (double)row + (double)column * 0.5);
	return sum;
}

int main(int argc, char **argv)
{
	const long steps = argc > 1 ? atol(argv[1]) : 100;
	double all = 0;
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (long step = 0; step < steps; step++) {
		const double mine = sum_of_rows(rank, ranks, all * 1e-9);

		MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%.4g\n", all);
	MPI_Finalize();
	return 0;
}
