/* A mesh of nodes, each a few values at the head of a page; values summed. */
#include <omp.h>

#include "work.h"
#include "zeroes.h"

#define NODES 24576u
#define STRIDE 4224u
#define VALUES 32u
#define PASSES (240 / SMALLER)

int main(void)
{
	const char *const mesh = zeroes((size_t)NODES * STRIDE);
	uint64_t all = 0;

#pragma omp parallel reduction(+ : all)
	{
		const unsigned id = (unsigned)omp_get_thread_num();
		const unsigned n = (unsigned)omp_get_num_threads();
#ifdef FIXED
		const unsigned first = id, step = n, from = 0, to = VALUES;
#else
		const unsigned first = 0, step = 1, from = VALUES * id / n,
			       to = VALUES * (id + 1) / n;
#endif

		for (int p = 0; p < PASSES; p++)
			for (unsigned k = first; k < NODES; k += step) {
				const size_t node = (k + all) * 7919 % NODES;
				const uint64_t *const v = (const uint64_t *)(mesh + node * STRIDE);

				for (unsigned i = from; i < to; i++)
					all += v[i];
			}
	}
	return all != 0;
}
