/* The volatile sum: every thread adds into its own element of one small array, in one
 * cache line. */
#include "team.h"

static volatile long sums[TEAM_MAX];

static void add(const struct team_member *m)
{
	const long rounds = *(const long *)m->arg / m->n;

	for (long i = 0; i < rounds; i++)
		sums[m->id] += i;
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[2]) : 4000000;

	team_run(argc > 1 ? (unsigned)atoi(argv[1]) : 1, add, &rounds);
	return 0;
}
