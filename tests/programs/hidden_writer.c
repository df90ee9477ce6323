/*
 * Threads that read a line in a loop of computing, and of which each writes a word of its own
 * there: a plain store between two such loops, where samples seldom are. Arguments: threads, stores
 * of all of them, "apart" to give each word a line of its own.
 */
#include "team.h"

#include <string.h>

#define STEPS 60 /* of a loop between two stores: some 100 ns */

static struct {
	_Alignas(128) volatile unsigned long limit; /* that all read at each step */
	volatile long done[15];                     /* each thread writes its own */
	struct {
		_Alignas(128) volatile long done;
	} apart[TEAM_MAX];
} table = {.limit = ~0UL};

static struct {
	_Alignas(128) volatile unsigned long sum;
} sums[TEAM_MAX];

struct amount {
	long stores;
	int apart;
};

static __attribute__((noinline)) unsigned long compute(unsigned long x)
{
	for (int i = 0; i < STEPS && x < table.limit; i++)
		x = x * 6364136223846793005UL + 1 + (table.limit & 1);
	return x;
}

static void work(const struct team_member *m)
{
	const struct amount *const a = m->arg;
	volatile long *const done = a->apart ? &table.apart[m->id].done : &table.done[m->id % 15];
	unsigned long x = m->id + 1;

	for (long i = a->stores / (long)m->n; i > 0; i--) {
		x = compute(x);
		*done = i;
	}
	sums[m->id].sum = x;
}

int main(int argc, char **argv)
{
	struct amount a = {.stores = argc > 2 ? atol(argv[2]) : 10000000,
		.apart = argc > 3 && strcmp(argv[3], "apart") == 0};

	team_run(argc > 1 ? (unsigned)atoi(argv[1]) : 1, work, &a);
	return 0;
}
