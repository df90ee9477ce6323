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
	assert_float_equal(left_of(1.5, 1.5), sd_short_budget_of(1.5, 2) - 6, 1e-6);
}

static void a_pause_is_not_spent(void **state)
{
	(void)state;
	assert_float_equal(left_of(.5, 3600), SD_SHORT_BUDGET_S - 2, 1e-6);
}

/* A program that was stopped for a minute has spent what its other runs take. */
static void a_run_that_was_stopped_has_spent_a_usual_one(void **state)
{
	static const struct {
		enum sd_run_kind kind;
		unsigned flags;
		double wall, spent;
	} rows[] = {
		{SD_RUN_BLOCK, 0, 60, .5},
		{SD_RUN_BLOCK, 0, 15, 15}, /* it may be one that scatters */
		{SD_RUN_BLOCK, SD_RUN_STOPPED, 15, .5},
		{SD_RUN_SIMULATED, 0, 60, 60}, /* these take so long */
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r;
		struct sd_run *run;
		double before;

		four_runs(&r, .5, .5);
		make_run(&r, 0, .5, .5, 0)->start = 1e9 + 2;
		before = sd_short_budget_left(&r);
		run = make_run(&r, 0, rows[i].wall, .5, 0);
		run->kind = rows[i].kind;
		run->flags = rows[i].flags;
		run->start = 1e9 + 2.5;
		assert_float_equal(sd_short_budget_left(&r), fmax(0, before - rows[i].spent), 1e-6);
		sd_record_free(&r);
	}
}

/* Runs are known by the time of day, which may be set while they go on. */
static void a_clock_that_jumps_is_no_time(void **state)
{
	static const double jump[] = {-3600, 3600, 1e9, -9e8};

	(void)state;
	for (size_t i = 0; i < sizeof jump / sizeof *jump; i++) {
		struct sd_record r;

		four_runs(&r, .5, .5);
		r.run[2].start += jump[i];
		r.run[3].start += jump[i];
		assert_float_equal(sd_short_budget_left(&r), SD_SHORT_BUDGET_S - 2, 1e-6);
		sd_record_free(&r);
	}
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
	assert_float_equal(left_of(.5, .5), SD_SHORT_BUDGET_S - 2, 1e-6);
	assert_float_equal(left_of(2.75, 2.75), (SD_SHORT_BUDGET_S + 98) / 2 - 11, 1e-6);
	assert_float_equal(left_of(5, 5), 98 - 20, 1e-6);
	assert_float_equal(left_of(12.5, 12.5), 188 - 50, 1e-6);
	assert_float_equal(left_of(20, 20), 278 - 80, 1e-6);
	assert_float_equal(left_of(40, 40), 556 - 160, 1e-6);
}

/* Two counts have the whole of it. */
static void more_counts_have_more_in_proportion(void **state)
{
	(void)state;
	assert_float_equal(sd_short_budget_of(.5, 1), SD_SHORT_BUDGET_S, 1e-9);
	assert_float_equal(sd_short_budget_of(.5, 2), SD_SHORT_BUDGET_S, 1e-9);
	assert_float_equal(sd_short_budget_of(20, 6), 3 * sd_short_budget_of(20, 2), 1e-9);
	assert_true(sd_short_budget_of(.5, 2) < 20);
	assert_true(sd_short_budget_of(5, 2) < 100);
	assert_true(sd_short_budget_of(20, 2) < 14 * 20);
}

/* Whatever the program, plain runs leave room for experiments, both runs under the software PMU fit
 * into what they leave, and what is kept does not take it all. */
static void its_parts_fit_into_it(void **state)
{
	(void)state;
	for (double wall = .01; wall < 100; wall *= 1.5) {
		struct sd_record r;
		double whole;

		four_runs(&r, wall, wall);
		whole = sd_short_budget_of(wall, 2);
		assert_true(sd_short_budget_experiments(&r) < whole / 2);
		assert_true(sd_short_budget_simulated(&r) + sd_short_budget_reference(&r) <=
			    sd_short_budget_experiments(&r) + 1e-9);
		assert_true(sd_short_budget_kept(&r) < whole / 2);
		sd_record_free(&r);
	}
}

static void shorter_runs_are_more(void **state)
{
	(void)state;
	assert_true(sd_short_budget_runs(NAN) == sd_short_budget_runs(100));
	for (double wall = .01; wall < 100; wall *= 1.5)
		assert_true(sd_short_budget_runs(wall) >= sd_short_budget_runs(1.5 * wall));
	assert_true(sd_short_budget_runs(.1) > sd_short_budget_runs(1));
	assert_true(sd_short_budget_runs(1) > sd_short_budget_runs(10));
}

/* A program of 2.2 s in one state of the machine and 6 s in the other has the time of neither. */
static void a_machine_that_is_slow_half_of_the_time_has_more(void **state)
{
	static const double wall[] = {2.2, 2.2, 6, 6, 6, 6};
	struct sd_record r;

	(void)state;
	make_record(&r, one_two, 2);
	r.plan.budget_s = 0;
	for (size_t i = 0; i < sizeof wall / sizeof *wall; i++)
		make_run(&r, i % 2, wall[i], wall[i], 0)->start = 0; /* nothing is spent */
	assert_float_equal(sd_short_budget_left(&r), sd_short_budget_of(6, 2), 1e-6);
	/* one run that met something else is not what a run takes */
	r.run[0].metric[SD_METRIC_WALL] = SD_OK(600);
	assert_float_equal(sd_short_budget_left(&r), sd_short_budget_of(6, 2), 1e-6);
	sd_record_free(&r);
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
	double kept;

	(void)state;
	four_runs(&r, 5, 5);
	assert_float_equal(sd_short_budget_node(&r), SD_SHORT_BUDGET_NODE_S, 0);
	kept = sd_short_budget_kept(&r);
	r.calibration.made = 1;
	assert_float_equal(sd_short_budget_kept(&r), kept - SD_SHORT_BUDGET_NODE_S, 1e-9);
	assert_float_equal(sd_short_budget_node(&r), 0, 0);
	sd_record_free(&r);
	/* half of all the time there is: not of a short program */
	four_runs(&r, .5, .5);
	assert_float_equal(sd_short_budget_node(&r), 0, 0);
	r.plan.budget_s = 1000;
	assert_float_equal(sd_short_budget_node(&r), SD_SHORT_BUDGET_NODE_S, 0);
	sd_record_free(&r);
}

/* Five runs of each count, of which two are there, and the first once more. */
static void what_every_count_gets_is_kept_for_it(void **state)
{
	struct sd_record r;

	(void)state;
	four_runs(&r, 3, 3);
	assert_float_equal(sd_short_budget_plain(&r), (2 * 3 + 1) * 3, 1e-9);
	r.plan.quick = 1;
	r.plan.min_repeats = 2;
	assert_float_equal(sd_short_budget_plain(&r), 0, 1e-9);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_run_and_what_was_between_are_spent),
		cmocka_unit_test(a_pause_is_not_spent),
		cmocka_unit_test(a_run_that_was_stopped_has_spent_a_usual_one),
		cmocka_unit_test(a_clock_that_jumps_is_no_time),
		cmocka_unit_test(it_is_never_overdrawn),
		cmocka_unit_test(a_long_program_has_more_in_proportion),
		cmocka_unit_test(more_counts_have_more_in_proportion),
		cmocka_unit_test(its_parts_fit_into_it),
		cmocka_unit_test(shorter_runs_are_more),
		cmocka_unit_test(a_machine_that_is_slow_half_of_the_time_has_more),
		cmocka_unit_test(a_given_budget_is_the_only_one),
		cmocka_unit_test(runs_without_a_time_are_passed_over),
		cmocka_unit_test(what_every_count_gets_is_kept_for_it),
		cmocka_unit_test(a_node_that_is_not_known_keeps_the_time_of_a_calibration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
