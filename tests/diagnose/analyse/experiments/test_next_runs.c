/*
 * When more plain runs would change the answer, and when an experiment tells more.
 */

#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "experiments/next_runs.h"
#include "support/near.h"

/* The runs wanted after `n` runs of either count whose times differ by this much. */
static enum sd_runs_wanted wanted(const struct sample *at_two, size_t n, double apart)
{
	struct sd_analysis a;
	struct sd_record r;
	enum sd_runs_wanted w;

	record_make(&r, counts, 2);
	record_samples(&r, 0, &one, n, apart, 1);
	record_samples(&r, 1, at_two, n, apart, 2);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	w = a.runs_wanted;
	sd_analysis_free(&a);
	sd_record_free(&r);
	return w;
}

/* Once the answer is known, the speedup need not be known better. */
static void what_scales_and_what_surely_does_not_need_no_more(void **state)
{
	(void)state;
	assert_int_equal(wanted(&good, 5, .01), SD_RUNS_ENOUGH);
	assert_int_equal(wanted(&slow, 5, .01), SD_RUNS_ENOUGH);
	assert_int_equal(wanted(&slow, 2, .0005), SD_RUNS_ENOUGH);
}

static void what_is_not_known_is_run_again(void **state)
{
	static const struct sample nearly = {.wall = 2.5, .user = 5};

	(void)state;
	assert_int_equal(wanted(&good, 1, 0), SD_RUNS_FIRST);
	assert_int_equal(wanted(&slow, 1, 0), SD_RUNS_FIRST);
	assert_int_equal(wanted(&nearly, 5, .05), SD_RUNS_FIRST);
	/* one more of each tells more than one of many */
	assert_int_equal(wanted(&slow, 2, .1), SD_RUNS_FIRST);
}

/* Both sides of an interval that is known badly, for a second, against causes that are open. */
static void an_experiment_that_tells_more_for_each_second_goes_first(void **state)
{
	enum sd_runs_wanted before = SD_RUNS_FIRST;

	(void)state;
	for (size_t n = 3; n < 12; n++) {
		struct sd_record r;
		struct sd_analysis a;

		with_experiments(&r, &slow);
		while (r.n_run)
			sd_run_free(&r.run[--r.n_run]);
		record_samples(&r, 0, &one, n, .12, 1);
		record_samples(&r, 1, &slow, n, .12, 2);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_true(a.next < a.n_tested || a.runs_wanted == SD_RUNS_FIRST);
		/* the more runs there are, the less another one tells */
		assert_true(a.runs_wanted <= before);
		before = a.runs_wanted;
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	assert_int_equal(before, SD_RUNS_NARROW);
}

/* Counts tell which part of the growth is a cause's: how much that is, the runs say. */
static void counts_tell_no_more_than_the_runs_they_are_a_share_of(void **state)
{
	struct sd_point point = {0};
	const struct sd_analysis a = {.point = &point, .n_point = 1};
	const struct sd_ledger l = {.n = 2, .loss = 1};

	(void)state;
	point.efficiency =
		(struct sd_interval){.value = .5, .low = .1, .high = .9, .status = SD_STATUS_OK};
	assert_near(sd_next_runs_counted_half(&a, &l), .8, 1e-9);
	point.efficiency.low = .49;
	point.efficiency.high = .51;
	assert_near(sd_next_runs_counted_half(&a, &l), .25, 1e-9);
	point.efficiency.status = SD_STATUS_ABSENT;
	assert_near(sd_next_runs_counted_half(&a, &l), .25, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_scales_and_what_surely_does_not_need_no_more),
		cmocka_unit_test(what_is_not_known_is_run_again),
		cmocka_unit_test(counts_tell_no_more_than_the_runs_they_are_a_share_of),
		cmocka_unit_test(an_experiment_that_tells_more_for_each_second_goes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
