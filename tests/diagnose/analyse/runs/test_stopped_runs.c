/*
 * Runs that a signal stopped: left out, and not blamed on others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/near.h"

static int warned(const struct sd_analysis *a, const char *text)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (strstr(a->warnings.text[i], text))
			return 1;
	return 0;
}

/* Runs of 10 s on one core and of 5 s on two; the last `stopped` of these were stopped for a
 * minute, in which others had the CPUs for a while. */
static void make(struct sd_record *r, size_t runs, size_t stopped)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10}, two = {.wall = 5, .user = 10};

	record_make(r, cores, 2);
	for (size_t i = 0; i < runs; i++) {
		struct sd_run *run;

		record_sample(r, 0, &one, 1 + .001 * (double)i);
		run = record_sample(r, 1, &two, 1 + .001 * (double)i);
		if (i + stopped < runs)
			continue;
		run->flags |= SD_RUN_STOPPED;
		run->metric[SD_METRIC_WALL] = SD_OK(65);
		run->metric[SD_METRIC_FOREIGN] = SD_OK(8);
	}
}

static void they_are_left_out_and_nobody_is_blamed(void **state)
{
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, 4, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.point[1].runs, 3);
	assert_near(a.point[1].wall.value, 5, .02);
	assert_true(warned(&a, "discarded 1 of 4 runs at 2 cores: a signal stopped the program"));
	assert_false(warned(&a, "background load"));
	assert_true(a.noise.value < .01);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A program that stops itself in every run has no others. */
static void where_all_were_stopped_they_are_used_and_that_is_said(void **state)
{
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, 4, 4);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.point[1].runs, 4);
	assert_true(warned(&a, "in all 4 runs at 2 cores a signal stopped the program"));
	assert_false(warned(&a, "background load"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_left_out_and_nobody_is_blamed),
		cmocka_unit_test(where_all_were_stopped_they_are_used_and_that_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
