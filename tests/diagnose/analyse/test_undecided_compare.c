/*
 * Two records: what differs, and what cannot be said to.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include "diagnose/analyse/judged_record.h"
#include "validity/superlinear.h"

struct two {
	struct sd_record r[2];
	struct sd_analysis a[2];
	struct sd_comparison c;
};

static int compare(struct two *t, const struct sample *after, size_t runs, double factor)
{
	*t = (struct two){0};
	for (int i = 0; i < 2; i++) {
		static const unsigned cores[] = {1, 2};

		record_make(&t->r[i], cores, 2);
		record_samples(&t->r[i], 0, &one, runs, .05, 3);
		record_samples(&t->r[i], 1, after, runs, .05, 3);
		for (size_t k = 0; k < t->r[i].n_run; k++) {
			t->r[i].run[k].start = 1.7e9 + (double)k;
			if (i)
				t->r[i].run[k].metric[SD_METRIC_WALL].value *= factor;
		}
		assert_int_equal(sd_analyse(&t->r[i], NULL, NULL, &t->a[i]), 0);
	}
	return sd_compare(&t->r[0], &t->a[0], &t->r[1], &t->a[1], &t->c);
}

static void release(struct two *t)
{
	sd_comparison_free(&t->c);
	for (int i = 0; i < 2; i++) {
		sd_analysis_free(&t->a[i]);
		sd_record_free(&t->r[i]);
	}
}

static enum sd_requirement_outcome against(const struct two *t, size_t point, double tolerance)
{
	struct sd_requirement_result out;
	struct sd_requirement g;

	sd_requirements_baseline(&t->c.point[point], tolerance, &g, &out);
	return out.outcome;
}

/* Whatever its noise is, and of one run as well: the runs are the same ones. */
static void a_record_against_itself_has_no_difference(void **state)
{
	(void)state;
	for (size_t runs = 1; runs <= 8; runs += 7) {
		struct two t;

		assert_int_equal(compare(&t, &half, runs, 1), 0);
		assert_true(t.c.same_runs);
		assert_int_equal(t.c.verdict, SD_CHANGE_NOISE);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(t.c.point[i].time, SD_CHANGE_NOISE);
			assert_int_equal(against(&t, i, 0), SD_REQUIREMENT_MET);
			for (size_t k = 0; k < t.c.point[i].n_part; k++)
				assert_int_equal(t.c.point[i].part[k].change, SD_CHANGE_NOISE);
		}
		assert_int_equal(t.c.warnings.n, 0);
		release(&t);
	}
}

/* Runs that scatter by 5 % do not tell 3 %: that is undecided, not slower. */
static void other_runs_that_scatter_decide_nothing(void **state)
{
	struct two t;

	(void)state;
	assert_int_equal(compare(&t, &half, 8, 1.001), 0);
	assert_false(t.c.same_runs);
	assert_int_equal(t.c.verdict, SD_CHANGE_NOISE);
	assert_int_equal(against(&t, 1, .03), SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(against(&t, 1, .5), SD_REQUIREMENT_MET);
	release(&t);
}

static void one_run_against_one_run_is_unknown(void **state)
{
	struct two t;

	(void)state;
	assert_int_equal(compare(&t, &half, 1, 3), 0);
	assert_int_equal(t.c.verdict, SD_CHANGE_UNKNOWN);
	assert_near(t.c.point[1].gain.value, 1 / 3., 1e-9);
	assert_false(sd_status_bounded(t.c.point[1].gain));
	assert_int_equal(against(&t, 1, 9), SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(against(&t, 1, 0), SD_REQUIREMENT_UNDECIDED);
	for (size_t k = 0; k < t.c.point[1].n_part; k++)
		assert_int_equal(t.c.point[1].part[k].change, SD_CHANGE_UNKNOWN);
	release(&t);
}

/* 30 % slower, of a machine that drifted by 50 %; and three times as slow. */
static void a_drift_widens_what_is_compared(void **state)
{
	static const struct {
		double factor;
		enum sd_change change;
	} row[] = {{1.3, SD_CHANGE_NOISE}, {3, SD_CHANGE_MORE}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct two t;

		assert_int_equal(compare(&t, &half, 8, row[i].factor), 0);
		assert_int_equal(t.c.verdict, SD_CHANGE_MORE);
		sd_comparison_free(&t.c);
		sd_analysis_free(&t.a[0]);
		record_sample(&t.r[0], 0, &one, 1.5)->kind = SD_RUN_DRIFT;
		assert_int_equal(sd_analyse(&t.r[0], NULL, NULL, &t.a[0]), 0);
		assert_int_equal(sd_compare(&t.r[0], &t.a[0], &t.r[1], &t.a[1], &t.c), 0);
		assert_int_equal(t.c.verdict, row[i].change);
		assert_int_equal(t.c.warnings.n, 1);
		assert_non_null(strstr(t.c.warnings.text[0], "drifted"));
		release(&t);
	}
}

/* The counts are the same, and nothing was timed at them in both. */
static void counts_without_times_have_nothing_in_common(void **state)
{
	struct two t;

	(void)state;
	assert_int_equal(compare(&t, &half, 8, 1.1), 0);
	sd_comparison_free(&t.c);
	for (size_t i = 0; i < 2; i++)
		t.a[1].point[i].wall.status = SD_STATUS_ABSENT;
	assert_int_equal(sd_compare(&t.r[0], &t.a[0], &t.r[1], &t.a[1], &t.c), -ENODATA);
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_against_itself_has_no_difference),
		cmocka_unit_test(other_runs_that_scatter_decide_nothing),
		cmocka_unit_test(one_run_against_one_run_is_unknown),
		cmocka_unit_test(a_drift_widens_what_is_compared),
		cmocka_unit_test(counts_without_times_have_nothing_in_common),
	};

	return cmocka_run_group_tests_name("undecided", tests, NULL, NULL);
}
