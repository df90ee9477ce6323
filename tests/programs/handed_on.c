/*
 * Memory that many threads use, one after the other: a buffer that is handed on, a heap block that
 * is freed and given to the next, the stacks of threads that ended, and a table that is set up
 * before. Two of them run at a time, each in a chain of its own.
 */
#include <stdlib.h>
#include <time.h>

#include "team.h"

#define WORDS 64
#define STAGES 6
#define STAGE_S .04

struct chain {
	_Alignas(4096) long handed[WORDS], set_up[WORDS];
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *stage(void *arg)
{
	struct chain *const c = arg;
	volatile long *const handed = c->handed, *const block = malloc(sizeof c->handed);
	volatile long own[WORDS] = {0};

	for (const double end = now() + STAGE_S; block && now() < end;)
		for (int k = 0; k < 100; k++)
			for (int i = 0; i < WORDS; i++) {
				handed[i]++;
				own[i] += c->set_up[i];
				block[i] = own[i];
			}
	free((void *)block);
	return NULL;
}

static void chain(const struct team_member *m)
{
	struct chain *const c = (struct chain *)m->arg + m->id;

	for (int i = 0; i < STAGES; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, stage, c))
			abort();
		pthread_join(t, NULL);
	}
}

int main(int argc, char **argv)
{
	const unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	struct chain *const c = aligned_alloc(4096, n * sizeof *c);

	if (!c)
		return 1;
	for (unsigned i = 0; i < n; i++)
		c[i] = (struct chain){.set_up = {1}};
	team_run(n, chain, c);
	return 0;
}
