/* The volatile sum with each thread's element on lines of its own. */
#include "team.h"

static struct {
	_Alignas(128) volatile long sum;
} sums[TEAM_MAX];

static void add(const struct team_member *m)
{
	const long rounds = *(const long *)m->arg / m->n;

	for (long i = 0; i < rounds; i++)
		sums[m->id].sum += i;
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[2]) : 4000000;

	team_run(argc > 1 ? (unsigned)atoi(argv[1]) : 1, add, &rounds);
	return 0;
}
