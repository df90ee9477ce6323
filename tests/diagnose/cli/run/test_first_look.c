/*
 * Messages while the runs are made.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/config_tables.h"
#include "run/first_look.h"
#include "support/analyse_record.h"
#include "support/make_record.h"

static const struct sample one = {.wall = 4, .user = 4}, two = {.wall = 3.2, .user = 4};

/* Runs of one core and two; with two the threads wait for a lock. */
static char *look(unsigned runs)
{
	static const unsigned counts[] = {1, 2};
	struct sd_config_tables tables = {0};
	struct sd_record r;
	char *text;

	record_make(&r, counts, 2);
	record_samples(&r, 0, &one, runs, .002, 1);
	record_samples(&r, 1, &two, runs, .002, 2);
	for (size_t i = 0; i < r.n_run; i++)
		if (r.run[i].point == 1) {
			r.run[i].idle[SD_IDLE_LOCK] = SD_OK(2 * two.wall - two.user);
			r.run[i].metric[SD_METRIC_POLL_CPU] = SD_OK(0);
		}
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].start = 1e9 + 4 * (double)i;
	text = sd_first_look(&tables, &r);
	sd_record_free(&r);
	return text;
}

static void a_suspect_has_the_bounds_of_its_cores(void **state)
{
	char *const text = look(10), *at;
	double low = 0, high = 0;

	(void)state;
	assert_non_null(text);
	assert_non_null(strstr(text, "2 cores so far: "));
	/* it is the answer so far, and no suspect any more */
	at = strstr(text, "1.25x, lock contention, likely, ");
	if (!at || strstr(text, "suspect"))
		fail_msg("%s", text);
	at += strlen("1.25x, lock contention, likely, ");
	assert_int_equal(sscanf(at, "%lf to %lf of 2 cores", &low, &high), 2);
	/* 2.4 of 6.4 core-s at two cores */
	assert_true(low > .3 && low < .75 && high > .75 && high < 2);
	assert_non_null(strstr(at, "Ctrl-C reports now"));
	free(text);
}

/* One run of each has no interval. */
static void without_bounds_none_are_said(void **state)
{
	char *const text = look(1);

	(void)state;
	assert_non_null(text);
	assert_non_null(strstr(text, "2 cores so far: "));
	assert_null(strstr(text, " of 2 cores"));
	assert_non_null(strstr(text, "after 7 s: 1.25x, first suspect: ")); /* from 4 s on, 3.2 s */
	free(text);
}

/* It has no speedup; whether another window is worth it is said. */
static void a_program_that_is_only_looked_at_has_its_cores_told(void **state)
{
	static const unsigned counts[] = {2};
	static const struct {
		unsigned windows;
		const char *says;
	} row[] = {{2, "another window would tell more"}, {5, "more would not change that"}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_config_tables tables = {0};
		struct sd_record r;
		char *text;

		record_make(&r, counts, 1);
		r.program.attached = strdup("process 1");
		record_samples(&r, 0, &one, row[k].windows, .002, 1);
		text = sd_first_look(&tables, &r);
		assert_non_null(text);
		if (!strstr(text, "2 cores so far: ") || !strstr(text, row[k].says) ||
			strstr(text, "1.00x"))
			fail_msg("%s", text);
		free(text);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_suspect_has_the_bounds_of_its_cores),
		cmocka_unit_test(without_bounds_none_are_said),
		cmocka_unit_test(a_program_that_is_only_looked_at_has_its_cores_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
