/* Hashes of numbers, reduced. */
#include "work.h"

/* also the smaller one is so long that loading it, by one thread, is no part of it */
#define NUMBERS (SMALLER > 1 ? 1200000000 / SMALLER : 320000000)

int main(void)
{
	uint64_t all = 0;

#pragma omp parallel for schedule(static) reduction(^ : all)
	for (int i = 0; i < NUMBERS; i++) {
		uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u;

		for (int k = 0; k < 4; k++)
			x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
		all ^= x;
	}
	return all == 1;
}
