/* Tasks of several sizes, made by one and done by all. */
#include "work.h"

#define TASKS 160

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < TASKS; i++)
#pragma omp task firstprivate(i)
		work(.4 / TASKS * (i % 2 ? 1.5 : .5));
	return 0;
}
