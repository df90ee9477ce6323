/* Orders are worked off and booked. */
#include "work.h"

#define ORDERS 2000
#define EACH (.4 / ORDERS)

static uint64_t sum;

int main(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < ORDERS; i++) {
#ifdef FIXED
		const uint64_t x = work(EACH);
#pragma omp critical
		sum += x;
#else
#pragma omp critical
		sum += work(.9 * EACH);
		work(.1 * EACH);
#endif
	}
	return sum == 1;
}
