/* A small grid relaxed many times. */
#include "work.h"

#ifdef FIXED
#define STEPS 100
#else
#define STEPS 60000
#endif
#define PIECES 16
#define EACH (.4 / STEPS / PIECES)

int main(void)
{
	for (int s = 0; s < STEPS; s++)
#pragma omp parallel for schedule(static)
		for (int i = 0; i < PIECES; i++)
			work(EACH);
	return 0;
}
