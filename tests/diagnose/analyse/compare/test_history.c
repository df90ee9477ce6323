/* Records become rows by program and time, and a row knows whether it is slower than the one
 * before. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/history.h"
#include "support/make_analysis.h"

/* A record of ./stencil, its time at 8 cores, the day it was made. */
static void add(struct sd_history *h, const char *file, double day, double wall, double half,
	const char *cpu)
{
	struct sd_record r;
	struct sd_analysis a;

	make_stencil(&r, &a);
	free(a.point[3].shown); /* the point that takes its place shows nothing */
	a.point[3] = make_point(8, wall, half, 10.42);
	a.point[3].stack[SD_COMPONENT_USEFUL] = make_half(8, 0);
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].start = 86400 * day + (double)i;
	snprintf(r.host.cpu, sizeof r.host.cpu, "%s", cpu);
	snprintf(r.program.source.commit, sizeof r.program.source.commit, "%s%s", file,
		"23456789abcdef0123456789abcdef012345678");
	assert_int_equal(sd_history_add(h, file, &r, &a), 0);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void rows_are_in_the_order_of_time_and_compared(void **state)
{
	struct sd_history h = {0};

	(void)state;
	add(&h, "d", 4, 2.0, .05, "x");
	add(&h, "a", 1, 4.0, .05, "x");
	add(&h, "c", 3, 5.0, .05, "x");
	add(&h, "b", 2, 4.02, .05, "x");
	add(&h, "e", 5, 9.0, .05, "another CPU");
	assert_int_equal(sd_history_end(&h), 0);
	assert_int_equal(h.n, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(h.row[i].file[0], "abcde"[i]);
	assert_int_equal(h.row[0].change, SD_CHANGE_UNKNOWN);
	assert_int_equal(h.row[1].change, SD_CHANGE_NOISE);
	assert_int_equal(h.row[2].change, SD_CHANGE_MORE);
	assert_int_equal(h.row[3].change, SD_CHANGE_LESS);
	assert_int_equal(h.row[4].change, SD_CHANGE_UNKNOWN); /* not of the same machine */
	assert_string_equal(h.row[0].program, "stencil 100");
	assert_int_equal(h.row[0].cause, SD_CAUSE_MEMORY_BANDWIDTH);
	assert_int_equal(h.row[0].verdict, SD_VERDICT_CONFIRMED);
	assert_string_equal(h.row[0].where.function, "relax()");
	assert_int_equal(h.row[0].n_point, 4);
	assert_memory_equal(h.row[2].commit, "c234", 4);
	sd_history_free(&h);
}

static void one_run_is_never_slower(void **state)
{
	struct sd_history h = {0};

	(void)state;
	add(&h, "a", 1, 4, .05, "x");
	add(&h, "b", 2, 40, .05, "x");
	h.row[1].point[3].runs = 1;
	assert_int_equal(sd_history_end(&h), 0);
	assert_int_equal(h.row[1].change, SD_CHANGE_UNKNOWN);
	sd_history_free(&h);
}

/* In the same time twice the work: faster. A throughput and a time do not compare. */
static void throughputs_are_compared_by_the_work_done(void **state)
{
	struct sd_history h = {0};

	(void)state;
	add(&h, "a", 1, 4, .05, "x");
	add(&h, "b", 2, 4, .05, "x");
	add(&h, "c", 3, 4, .05, "x");
	h.row[0].point[3].work = 100;
	h.row[1].point[3].work = 200;
	assert_int_equal(sd_history_end(&h), 0);
	assert_int_equal(h.row[1].change, SD_CHANGE_LESS);
	assert_int_equal(h.row[2].change, SD_CHANGE_UNKNOWN);
	sd_history_free(&h);
}

static void an_analysis_without_points_is_no_row(void **state)
{
	struct sd_history h = {0};
	const struct sd_record r = {0};
	const struct sd_analysis a = {0};

	(void)state;
	assert_int_equal(sd_history_add(&h, "a", &r, &a), 0);
	assert_int_equal(sd_history_end(&h), 0);
	assert_int_equal(h.n, 0);
	sd_history_free(&h);
}

/* Fourteen records of one level and eight that take 4 % longer; each is within 1 % of its level. */
static void a_change_that_lasts_is_the_commit_from_which_on(void **state)
{
	struct sd_history h = {0};
	char file[8];

	(void)state;
	for (int i = 0; i < 22; i++) {
		snprintf(file, sizeof file, "r%02d", i);
		add(&h, file, i + 1, (i < 14 ? 4 : 4.16) * (1 + .002 * (i * 7 % 5 - 2)), .1, "x");
	}
	add(&h, "other", 30, 8, .1, "another program's machine");
	snprintf(h.row[22].program, 4, "zzz");
	assert_int_equal(sd_history_end(&h), 0);
	assert_int_equal(h.n_shift, 1);
	assert_string_equal(h.shift[0].row->file, "r14");
	assert_int_equal(h.shift[0].cores, 8);
	assert_int_equal(h.shift[0].before, 14);
	assert_int_equal(h.shift[0].since, 8);
	assert_true(fabs(h.shift[0].ratio - 1.04) < .004);
	assert_true(h.shift[0].p <= .002);
	sd_history_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_that_lasts_is_the_commit_from_which_on),
		cmocka_unit_test(rows_are_in_the_order_of_time_and_compared),
		cmocka_unit_test(one_run_is_never_slower),
		cmocka_unit_test(throughputs_are_compared_by_the_work_done),
		cmocka_unit_test(an_analysis_without_points_is_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
