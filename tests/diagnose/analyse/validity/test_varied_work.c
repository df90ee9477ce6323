/*
 * Does a program whose runs take different CPU time do different work?
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_record.h"
#include "support/make_samples.h"

/* A run's samples, of which this share is at an atomic instruction across two lines. */
static void look_at_lines(struct sd_run *run, unsigned node, double seconds, double split)
{
	struct sd_native_lines *const l = calloc(1, sizeof *l);

	assert_non_null(l);
	run->native = l;
	l->status = SD_STATUS_OK;
	l->line_bytes = 64;
	l->seconds = seconds;
	l->loop = calloc(1, sizeof *l->loop);
	assert_non_null(l->loop);
	l->loop[0] = (struct sd_native_loop){
		.node = node, .seconds = seconds, .split_s = split * seconds};
	l->n_loop = l->n_loop_seen = 1;
}

static double in_turns(int i)
{
	return i % 4 < 2 ? 1 : 3;
}

static double long_once(int i)
{
	return i == 4 ? 3 : 1;
}

static double short_once(int i)
{
	return i == 4 ? 1 : 3;
}

/* Runs of one core and two, in turns, whose CPU times are these seconds. */
static void analyse(double time(int), double split, struct sd_record *r, struct sd_analysis *a)
{
	static const unsigned cores[] = {1, 2};
	unsigned node;

	record_make(r, cores, 2);
	node = make_call(r, 0, "add", "/home/u/app.c", 10, "/home/u/app");
	for (int i = 0; i < 12; i++) {
		const double wall = time(i);
		const struct sample s = {.wall = wall, .user = wall};
		struct sd_run *const run = record_sample(r, (size_t)i % 2, &s, 1 + .001 * i);

		make_use(run, node, SD_ACTIVITY_USEFUL, wall);
		look_at_lines(run, node, wall, split);
	}
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
}

static int warns(const struct sd_analysis *a, const char *words)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (strstr(a->warnings.text[i], words))
			return 1;
	return 0;
}

static void split_locks_make_the_time_differ_and_not_the_work(void **state)
{
	(void)state;
	for (int split = 0; split < 2; split++) {
		struct sd_record r;
		struct sd_analysis a;

		analyse(in_turns, split ? .9 : 0, &r, &a);
		assert_int_equal(warns(&a, "it does not do the same work"), !split);
		assert_int_equal(warns(&a, "90 % of that is at locked instructions"), split);
		assert_int_equal(a.varied.status, split ? SD_STATUS_ABSENT : SD_STATUS_OK);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* A machine makes one run long; short is only one with less work. */
static void one_long_run_is_no_other_work(void **state)
{
	(void)state;
	for (int is_long = 0; is_long < 2; is_long++) {
		struct sd_record r;
		struct sd_analysis a;

		analyse(is_long ? long_once : short_once, 0, &r, &a);
		assert_int_equal(warns(&a, "it does not do the same work"), !is_long);
		assert_int_equal(a.varied.status, is_long ? SD_STATUS_ABSENT : SD_STATUS_OK);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_long_run_is_no_other_work),
		cmocka_unit_test(split_locks_make_the_time_differ_and_not_the_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
