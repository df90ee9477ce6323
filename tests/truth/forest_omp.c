/* Trees planted in rows, some denser; each year begins with a plan. */
#include "work.h"

#define YEARS 4
#define ROWS 200
#define EACH (.4 / YEARS)
#define UNIT (.6 * EACH / (ROWS + 4.0 * ROWS / 2))

static void plan(double amount)
{
#ifdef FIXED
#pragma omp parallel for schedule(static)
	for (int i = 0; i < ROWS; i++)
		work(amount / ROWS);
#else
	work(amount);
#endif
}

#ifdef FIXED
#define GIVEN schedule(dynamic, 2)
#else
#define GIVEN schedule(static)
#endif

int main(void)
{
	for (int y = 0; y < YEARS; y++) {
		plan(.4 * EACH);
#pragma omp parallel for GIVEN
		for (int i = 0; i < ROWS; i++)
			work(i < ROWS / 2 ? 5 * UNIT : UNIT);
	}
	return 0;
}
