/*
 * The threads of a modelled machine, moment by moment: who ran and what the others waited for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/modelled_lives.h"
#include "trace/thread_view.h"

/* How long each number of threads ran, and how long threads waited for each thing, ns. */
static struct seen {
	uint64_t running[4], waiting[SD_WAIT_COUNT];
	size_t waits;
	int begun, ended;
} seen;

static int begin(void **state, unsigned cores, int first)
{
	*state = &seen;
	seen = (struct seen){.begun = cores == 4 && first == 7};
	return 0;
}

static int look(void *state, const struct sd_thread_views *threads, const struct sd_code *code)
{
	const uint64_t step = threads->now - threads->before;
	size_t running = 0;

	assert_true(state == &seen && !code);
	for (size_t i = 0; i < threads->n; i++) {
		const struct sd_thread_view *const v = threads->thread[i];

		running += (size_t)v->on_cpu;
		seen.waiting[v->seen.wait] += v->on_cpu ? 0 : step;
		seen.waits += v->new_wait != 0;
	}
	seen.running[running] += step;
	return 0;
}

static void end(void *state, struct sd_run *run)
{
	(void)state, (void)run;
	seen.ended = 1;
}

static void close_it(void *state)
{
	(void)state;
}

static const struct sd_accountant accountant = {
	.begin = begin, .look = look, .end = end, .close = close_it};

/* At 2 GHz: the first makes two, waits for a mutex of the second, then for its end. */
static void what_threads_wait_for_is_seen_at_every_moment(void **state)
{
	struct sd_sim_thread thread[] = {{.tid = 7}, {.tid = 8}, {.tid = 9}};
	struct sd_sim_file_life life[] = {{0, 2000}, {200, 1800}, {200, 1000}};
	struct sd_sim_file_wait wait[] = {
		{0, 400, 1200, 0x40, 128, 2},  /* as glibc waits for a mutex */
		{0, 1400, 1800, 0x90, 265, 8}, /* and for a thread's end */
		{2, 600, 800, 0, 0, 0},        /* in another call */
	};
	const struct sd_sim_file f = {.pid = 7,
		.thread = thread,
		.n_thread = 3,
		.life = life,
		.n_life = 3,
		.wait = wait,
		.n_wait = 3};
	struct sd_run run = {0};

	(void)state;
	assert_int_equal(sd_modelled_lives_account(&f, 2e9, 4, &accountant, &run), 0);
	assert_true(seen.begun && seen.ended && seen.waits == 3);
	assert_int_equal(seen.waiting[SD_WAIT_LOCK], 400);
	assert_int_equal(seen.waiting[SD_WAIT_JOIN], 200);
	assert_int_equal(seen.waiting[SD_WAIT_UNKNOWN], 100);
	/* 0-200, 600-800, 1000-1200, 1400-2000; 400-600, 800-1000, 1200-1400; 200-400 */
	assert_int_equal(seen.running[1], 600);
	assert_int_equal(seen.running[2], 300);
	assert_int_equal(seen.running[3], 100);
	assert_true(run.n_thread == 3 && run.n_thread_seen == 3);
	assert_true(run.thread[0].tid == 8 && run.thread[0].cpu.value > 799e-9 &&
		    run.thread[0].cpu.value < 801e-9);
	sd_run_free(&run);
}

static void a_file_without_lives_says_nothing(void **state)
{
	const struct sd_sim_file f = {.pid = 7};
	struct sd_run run = {0};

	(void)state;
	seen = (struct seen){0};
	assert_int_equal(sd_modelled_lives_account(&f, 2e9, 4, &accountant, &run), 0);
	assert_true(!seen.begun && !seen.ended && run.n_thread == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_threads_wait_for_is_seen_at_every_moment),
		cmocka_unit_test(a_file_without_lives_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
