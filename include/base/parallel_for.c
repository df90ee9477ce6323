#include "base/parallel_for.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_uint limit;

void sd_parallel_for_limit(unsigned threads)
{
	atomic_store(&limit, threads);
}

unsigned sd_parallel_for_threads(void)
{
	unsigned n = atomic_load(&limit);
	cpu_set_t cpus;

	/* more CPUs than a set has are also enough */
	if (n == 0)
		n = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus)
								  : SD_PARALLEL_FOR_MOST;
	return n == 0 ? 1 : n < SD_PARALLEL_FOR_MOST ? n : SD_PARALLEL_FOR_MOST;
}

struct loop {
	size_t n;
	void (*one)(void *ctx, size_t i, unsigned thread);
	void *ctx;
	atomic_size_t next;
};

struct worker {
	struct loop *loop;
	unsigned thread;
	pthread_t id;
};

static void *work(void *of)
{
	const struct worker *const w = of;
	struct loop *const l = w->loop;

	for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;)
		l->one(l->ctx, i, w->thread);
	return NULL;
}

void sd_parallel_for(
	size_t n, unsigned threads, void (*one)(void *ctx, size_t i, unsigned thread), void *ctx)
{
	struct loop l = {.n = n, .one = one, .ctx = ctx};
	struct worker w[SD_PARALLEL_FOR_MOST];
	unsigned made = 1;
	sigset_t all, before;

	threads = threads < SD_PARALLEL_FOR_MOST ? threads : SD_PARALLEL_FOR_MOST;
	threads = threads < n ? threads : (unsigned)n;
	w[0] = (struct worker){.loop = &l};
	/* signals are for the thread that was there before */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; made < threads; made++) {
		w[made] = (struct worker){.loop = &l, .thread = made};
		if (pthread_create(&w[made].id, NULL, work, &w[made]))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)work(&w[0]);
	for (unsigned t = 1; t < made; t++)
		(void)pthread_join(w[t].id, NULL);
}
