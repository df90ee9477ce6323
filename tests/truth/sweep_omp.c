/* Many short sweeps, each after a step of preparation. */
#include "work.h"

#define SWEEPS 800
#define PIECES 8
#define EACH (.4 / SWEEPS)

static void sweep(double amount)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < PIECES; i++)
		work(amount / PIECES);
}

int main(void)
{
	for (int i = 0; i < SWEEPS; i++) {
#ifdef FIXED
		sweep(.5 * EACH);
#else
		work(.5 * EACH);
#endif
		sweep(.5 * EACH);
	}
	return 0;
}
