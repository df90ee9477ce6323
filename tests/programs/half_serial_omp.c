/* Half serial: OpenMP, eight parallel loops, each after a serial part of the same amount
 * of work. */
#include "work.h"

#define ROUNDS 8
#define PIECES 240

static void serial_part(double amount)
{
	work(amount);
}

static void parallel_part(double amount)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < PIECES; i++)
		work(amount / PIECES);
}

int main(int argc, char **argv)
{
	const double amount = work_amount(argc, argv);

	for (int i = 0; i < ROUNDS; i++) {
		serial_part(amount / 2 / ROUNDS);
		parallel_part(amount / 2 / ROUNDS);
	}
	return 0;
}
