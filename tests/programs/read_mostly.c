/*
 * Threads that read one word at each of their steps; the first of them writes it now and then.
 * Arguments: threads, steps of all of them, steps between two writes.
 */
#include "team.h"

static struct {
	_Alignas(128) volatile long word;
	long others[31]; /* nothing else lies in its line and the next */
} flag;

static struct {
	_Alignas(128) volatile unsigned long sum;
} sums[TEAM_MAX];

struct amount {
	long steps, every;
};

/* Each multiplication waits for the one before it. */
static unsigned long read_flag(unsigned long x, long steps)
{
	for (long i = 0; i < steps; i++) {
		x = x * 6364136223846793005UL + (unsigned long)flag.word;
		x = x * 6364136223846793005UL + (unsigned long)flag.word;
		x = x * 6364136223846793005UL + (unsigned long)flag.word;
		x = x * 6364136223846793005UL + (unsigned long)flag.word;
	}
	return x;
}

static void work(const struct team_member *m)
{
	const struct amount *const a = m->arg;
	const long steps = a->steps / (long)m->n;
	unsigned long x = m->id + 1;
	long done = 0;

	if (m->id == 0)
		for (; steps - done >= a->every; done += a->every) {
			x = read_flag(x, a->every);
			/* as C11 and C++ do it by default: it waits for the line */
			__atomic_store_n(&flag.word, done, __ATOMIC_SEQ_CST);
		}
	sums[m->id].sum = read_flag(x, steps - done);
}

int main(int argc, char **argv)
{
	struct amount a = {argc > 2 ? atol(argv[2]) : 100000000, argc > 3 ? atol(argv[3]) : 1000};

	a.every = a.every > 0 ? a.every : 1;
	team_run(argc > 1 ? (unsigned)atoi(argv[1]) : 1, work, &a);
	return 0;
}
