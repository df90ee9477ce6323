#include "record/short_budget.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/make_record.h"

static const unsigned one_two[] = {1, 2};

/* Two runs of each point that begin so many seconds apart. */
static void four_runs(struct sd_record *r, double wall, double apart)
{
	make_record(r, one_two, 2);
	r->plan.budget_s = 0;
	for (size_t i = 0; i < 4; i++)
		make_run(r, i % 2, wall, wall, 0)->start = 1e9 + apart * (double)i;
}

static double left_of(double wall, double apart)
{
	struct sd_record r;
	double left;

	four_runs(&r, wall, apart);
	left = sd_short_budget_left(&r);
	sd_record_free(&r);
	return left;
}

static void what_was_run_and_what_was_between_are_spent(void **state)
{
	(void)state;
	assert_float_equal(left_of(.5, 2), SD_SHORT_BUDGET_S - 6.5, 1e-6);
	/* one run that began before the last had ended is no time back */
	assert_float_equal(left_of(1.5, 1.5), SD_SHORT_BUDGET_S - 6, 1e-6);
}

static void a_pause_is_not_spent(void **state)
{
	(void)state;
	assert_float_equal(left_of(.5, 3600), SD_SHORT_BUDGET_S - 2, 1e-6);
}

static void it_is_never_overdrawn(void **state)
{
	(void)state;
	assert_float_equal(left_of(.5, 20.4), 0, 0);
}

static void a_long_program_has_more_in_proportion(void **state)
{
	(void)state;
	/* two runs of each count began and ended: three times `apart`, and the last */
	assert_float_equal(left_of(2, 2), SD_SHORT_BUDGET_S * 2 / 1.5 - 8, 1e-6);
	assert_float_equal(left_of(5, 5), 100 * 2 / 1.5 - 20, 1e-6);
	assert_float_equal(left_of(12.5, 12.5), 190 * 2 / 1.5 - 50, 1e-6);
	assert_float_equal(left_of(20, 20), 280 * 2 / 1.5 - 80, 1e-6);
	assert_float_equal(left_of(40, 40), 560 * 2 / 1.5 - 160, 1e-6);
}

static void a_given_budget_is_the_only_one(void **state)
{
	struct sd_record r;

	(void)state;
	four_runs(&r, .5, 2);
	r.plan.budget_s = 30;
	assert_true(isinf(sd_short_budget_left(&r)));
	sd_record_free(&r);
}

static void runs_without_a_time_are_passed_over(void **state)
{
	struct sd_record r;

	(void)state;
	four_runs(&r, .5, 2);
	r.run[1].start = 0;
	r.run[2].metric[SD_METRIC_WALL].status = SD_STATUS_ABSENT;
	/* .5, 3.5 until the third begins, which has no end of its own, 2 until the last, .5 */
	assert_float_equal(sd_short_budget_left(&r), SD_SHORT_BUDGET_S - 6.5, 1e-6);
	sd_record_free(&r);
	make_record(&r, one_two, 2);
	r.plan.budget_s = 0;
	assert_true(isinf(sd_short_budget_left(&r))); /* how long it takes is not known yet */
	sd_record_free(&r);
}

static void a_node_that_is_not_known_keeps_the_time_of_a_calibration(void **state)
{
	struct sd_record r;

	(void)state;
	make_record(&r, one_two, 2);
	assert_float_equal(
		sd_short_budget_kept(&r), SD_SHORT_BUDGET_COUNT_S + SD_SHORT_BUDGET_NODE_S, 0);
	assert_float_equal(sd_short_budget_node(&r), SD_SHORT_BUDGET_NODE_S, 0);
	r.calibration.made = 1;
	assert_float_equal(sd_short_budget_kept(&r), SD_SHORT_BUDGET_COUNT_S, 0);
	assert_float_equal(sd_short_budget_node(&r), 0, 0);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_run_and_what_was_between_are_spent),
		cmocka_unit_test(a_pause_is_not_spent),
		cmocka_unit_test(it_is_never_overdrawn),
		cmocka_unit_test(a_long_program_has_more_in_proportion),
		cmocka_unit_test(a_given_budget_is_the_only_one),
		cmocka_unit_test(runs_without_a_time_are_passed_over),
		cmocka_unit_test(a_node_that_is_not_known_keeps_the_time_of_a_calibration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
