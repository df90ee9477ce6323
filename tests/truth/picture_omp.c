/* The lines of a picture: those in the middle take longer. */
#include "work.h"

#define LINES 600
#define FRAMES 3
#define UNIT (.4 / FRAMES / (LINES + 9.0 * LINES / 3))

#ifdef FIXED
#define GIVEN schedule(dynamic, 4)
#else
#define GIVEN schedule(static)
#endif

int main(void)
{
	for (int f = 0; f < FRAMES; f++)
#pragma omp parallel for GIVEN
		for (int i = 0; i < LINES; i++)
			work(i < LINES / 3 ? 10 * UNIT : UNIT);
	return 0;
}
