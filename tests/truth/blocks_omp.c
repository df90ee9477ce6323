/* Blocks are read and then transformed. */
#include "work.h"

#define ROUNDS 6
#define PIECES 64
#define EACH (.4 / ROUNDS)

static void step(double amount)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < PIECES; i++)
		work(amount / PIECES);
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
		step(.6 * EACH);
#else
		work(.6 * EACH);
#endif
		step(.4 * EACH);
	}
	return 0;
}
