/* Random walks. */
#include "crew.h"
#include "work.h"

#define STEPS 240000000u

static void part(unsigned id, unsigned n)
{
	volatile int64_t end;
	uint64_t x = id + 1;
	int64_t at = 0;

	for (unsigned i = 0; i < STEPS / n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		at += (int64_t)(x & 2) - 1;
	}
	end = at;
	(void)end;
}

int main(void)
{
	crew_threads(work_threads(), part);
	return 0;
}
