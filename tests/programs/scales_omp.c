/* Scales: AMOUNT of work that only computes, an OpenMP loop. */
#include "work.h"

#define PIECES 240 /* divides evenly among 1 to 6, 8, 10, 12, … threads */

int main(int argc, char **argv)
{
	const double amount = work_amount(argc, argv);

#pragma omp parallel for schedule(static)
	for (int i = 0; i < PIECES; i++)
		work(amount / PIECES);
	return 0;
}
