/* Polynomials at the points of a short table, which stays in the first cache. */
#include "work.h"

#define POINTS 1024
#define ROUNDS 1800000

int main(void)
{
	double all = 0;

#pragma omp parallel reduction(+ : all)
	{
		double x[POINTS];

		for (int i = 0; i < POINTS; i++)
			x[i] = i * 1e-3;
#pragma omp for schedule(static)
		for (int r = 0; r < ROUNDS; r++)
			for (int i = 0; i < POINTS; i++)
				x[i] = ((x[i] * .3 + .1) * x[i] + .2) * x[i] + .3;
		for (int i = 0; i < POINTS; i++)
			all += x[i];
	}
	return all == 1;
}
