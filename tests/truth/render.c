/* The lines of a set, by processes. */
#include "crew.h"
#include "work.h"

#define LINES 4800u
#define WIDTH 600u

static void part(unsigned id, unsigned n)
{
	volatile unsigned inside;
	unsigned count = 0;

	for (unsigned l = id; l < LINES; l += n)
		for (unsigned c = 0; c < WIDTH; c++) {
			const double x = c * 3.0 / WIDTH - 2, y = l * 2.0 / LINES - 1;
			double a = 0, b = 0;
			int k = 0;

			for (; k < 256 && a * a + b * b < 4; k++) {
				const double t = a * a - b * b + x;

				b = 2 * a * b + y;
				a = t;
			}
			count += k == 256;
		}
	inside = count;
	(void)inside;
}

int main(void)
{
	crew_processes(work_threads(), part);
	return 0;
}
