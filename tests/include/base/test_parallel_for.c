/* A loop shared among threads: each iteration once, and no two at a time with one number. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/parallel_for.h"

#define N 1000

struct seen {
	atomic_uint times[N];
	atomic_uint busy[SD_PARALLEL_FOR_MOST];
	atomic_uint overlaps, beyond;
	unsigned threads;
};

static void see(void *of, size_t i, unsigned thread)
{
	struct seen *const s = of;

	if (thread >= s->threads)
		s->beyond++;
	else if (atomic_fetch_add(&s->busy[thread], 1))
		s->overlaps++;
	s->times[i]++;
	if (thread < s->threads)
		s->busy[thread]--;
}

static void each_iteration_is_done_once(void **state)
{
	static const unsigned threads[] = {1, 2, 5, SD_PARALLEL_FOR_MOST};
	static const size_t n[] = {0, 1, 3, N};

	(void)state;
	for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
		for (size_t l = 0; l < sizeof n / sizeof *n; l++) {
			static struct seen s;

			s = (struct seen){.threads = threads[k]};
			sd_parallel_for(n[l], threads[k], see, &s);
			assert_int_equal(s.overlaps, 0);
			assert_int_equal(s.beyond, 0);
			for (size_t i = 0; i < N; i++)
				assert_int_equal(s.times[i], i < n[l]);
		}
}

static void as_many_threads_as_asked_for(void **state)
{
	(void)state;
	assert_in_range(sd_parallel_for_threads(), 1, SD_PARALLEL_FOR_MOST);
	sd_parallel_for_limit(5);
	assert_int_equal(sd_parallel_for_threads(), 5);
	sd_parallel_for_limit(1000000);
	assert_int_equal(sd_parallel_for_threads(), SD_PARALLEL_FOR_MOST);
	sd_parallel_for_limit(0);
}

struct masks {
	pthread_barrier_t all;
	sigset_t mask[4];
};

static void keep_mask(void *of, size_t i, unsigned thread)
{
	struct masks *const m = of;

	(void)i;
	pthread_barrier_wait(&m->all); /* so that each does one */
	pthread_sigmask(SIG_BLOCK, NULL, &m->mask[thread]);
}

/* Ctrl-C is for the thread that was there before. */
static void signals_are_for_the_caller(void **state)
{
	struct masks m = {0};

	(void)state;
	assert_int_equal(pthread_barrier_init(&m.all, NULL, 4), 0);
	sd_parallel_for(4, 4, keep_mask, &m);
	assert_int_equal(sigismember(&m.mask[0], SIGINT), 0);
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(sigismember(&m.mask[i], SIGINT), 1);
	pthread_barrier_destroy(&m.all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_iteration_is_done_once),
		cmocka_unit_test(as_many_threads_as_asked_for),
		cmocka_unit_test(signals_are_for_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
