/* Keys looked at, and handled by the member they belong to. */
#include <omp.h>

#include "work.h"

#define KEYS (100000 / SMALLER)

int main(void)
{
#pragma omp parallel
	{
		const int id = omp_get_thread_num(), n = omp_get_num_threads();
#ifdef FIXED
		const int first = id, step = n;
#else
		const int first = 0, step = 1;
#endif

		for (int k = first; k < KEYS; k += step) {
			work(.25 / SMALLER / KEYS);
			if (k % n == id)
				work(.15 / SMALLER / KEYS);
		}
	}
	return 0;
}
