/* Primes by trial division, numbers dealt out in turn. */
#include "team.h"
#include "work.h"

/* also the smaller one is so long that loading it, by one thread, is no part of it */
#define LAST (SMALLER > 1 ? 32000000u / SMALLER : 5000000u)

static void part(const struct team_member *m)
{
	volatile unsigned primes;
	unsigned found = 0;

	for (unsigned k = m->id; 2 * k + 3 < LAST; k += m->n) {
		const unsigned v = 2 * k + 3;
		unsigned d = 3;

		while (d * d <= v && v % d)
			d += 2;
		found += d * d > v;
	}
	primes = found;
	(void)primes;
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
