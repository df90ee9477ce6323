/*
 * Noise, machine states and drift in the order of runs.
 */
#include <signal.h>
#include <math.h>

#include "diagnose/measure/plan/scheduled_record.h"
#include "plan/one_run.h"
#include "record/short_budget.h"

/* The analysis will not look at them, so that they do not make the interval narrow. */
static void disturbed_runs_do_not_narrow_the_interval(void **state)
{
	struct sd_record r;
	double before;

	(void)state;
	make_record(&r, one_two_four, 2);
	runs(&r, 0, 6, 8, .001);
	runs(&r, 1, 6, 4, .05);
	before = halfwidth(&r, 1);
	for (int i = 0; i < 40; i++)
		make_run(&r, 1, 4, 1, 0)->metric[SD_METRIC_FOREIGN] = SD_OK(4 * 2 * .03);
	assert_true(halfwidth(&r, 1) == before);
	sd_record_free(&r);
}

/* How much is lost is soon clear; beside others it is not, whose that is. */
static void a_clear_loss_beside_others_gets_the_usual_runs(void **state)
{
	unsigned made[2] = {0};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct sd_record r;
		unsigned mask;
		double worst;

		make_record(&r, one_two_four, 2);
		for (; made[k] < 30 && need(&r, &mask, &worst); made[k]++)
			for (size_t p = 0; p < 2; p++)
				make_run(&r, p, 1 + .01 * (made[k] % 3), 1, 0)
					->metric[SD_METRIC_FOREIGN] = SD_OK(k ? .5 : 0);
		assert_true(made[k] <= sd_schedule_least(&r, 0));
		sd_record_free(&r);
	}
	assert_true(made[0] < made[1]);
}

static void noise_is_not_chased_for_longer_than_the_first_runs_took(void **state)
{
	static const double wall[] = {1, 30};

	(void)state;
	for (size_t k = 0; k < 2; k++)
		for (int budget = 0; budget < 2; budget++) {
			struct sd_record r;
			unsigned mask, made;
			double worst, first;

			make_record(&r, one_two_four, 2);
			r.plan.max_repeats = 1000;
			r.plan.budget_s = budget ? 1e6 : 0;
			for (made = 0; made < 200 && need(&r, &mask, &worst); made++) {
				/* never known well: every other run is twice as long */
				runs(&r, 0, 1, wall[k] * (1 + made % 2), 0);
				runs(&r, 1, 1, wall[k] * (1 + made % 2), 0);
			}
			first = 2 * 1.5 * wall[k] * sd_schedule_least(&r, 0);
			assert_true(worst > SD_SCHEDULE_PRECISION || !budget);
			if (budget)
				assert_int_equal(made, 200);
			else /* at least the first ones, at most twice as long, or half a minute */
				assert_true(made >= sd_schedule_least(&r, 0) &&
					    made * 3 * wall[k] < fmax(30, 2.3 * first));
			sd_record_free(&r);
		}
}

static void noise_leaves_experiments_the_end_of_the_time(void **state)
{
	struct sd_plan_experiment one = {.experiment = SD_EXPERIMENT_REPLICAS};
	struct sd_record r;
	unsigned mask;
	double worst;

	(void)state;
	make_record(&r, one_two_four, 2);
	for (unsigned i = 0; i < 10; i++) {
		runs(&r, 0, 1, .1 * (1 + i % 2), 0);
		runs(&r, 1, 1, .1 * (1 + i % 2), 0);
	}
	for (size_t i = 0; i < r.n_run; i++) /* what is around them takes longer */
		r.run[i].start = 1e9 + .7 * SD_SHORT_BUDGET_S * (double)i / (double)r.n_run;
	assert_true(need(&r, &mask, &worst) > 0);
	r.plan.experiment = &one;
	r.plan.n_experiment = 1;
	assert_int_equal(need(&r, &mask, &worst), 0);
	r.plan.experiment = NULL;
	r.plan.n_experiment = 0;
	sd_record_free(&r);
}

static void lines(struct sd_run *run, double before, double after)
{
	run->metric[SD_METRIC_LINE_BEFORE] = SD_OK(before);
	run->metric[SD_METRIC_LINE_AFTER] = SD_OK(after);
}

static void a_change_of_state_during_a_run_is_seen(void **state)
{
	struct sd_run run = {0};

	(void)state;
	assert_false(sd_one_run_mixed(&run));
	lines(&run, 100e-9, 159e-9);
	assert_false(sd_one_run_mixed(&run));
	lines(&run, 100e-9, 161e-9);
	assert_true(sd_one_run_mixed(&run));
	lines(&run, 161e-9, 100e-9);
	assert_true(sd_one_run_mixed(&run));
	run.metric[SD_METRIC_LINE_AFTER] = SD_NOT(ABSENT);
	assert_false(sd_one_run_mixed(&run));
}

static void runs_are_compared_within_the_usual_state(void **state)
{
	struct sd_record r;

	(void)state;
	make_record(&r, one_two_four, 2);
	for (int i = 0; i < 6; i++) {
		lines(make_run(&r, 0, 8 + 0.001 * i, 1, 0), 55e-9, 55e-9);
		lines(make_run(&r, 1, 4 + 0.001 * i, 1, 0), 55e-9, 56e-9);
	}
	/* slow runs on the far side, and some that changed sides */
	for (int i = 0; i < 2; i++) {
		lines(make_run(&r, 0, 14, 1, 0), 250e-9, 250e-9);
		lines(make_run(&r, 1, 9, 1, 0), 250e-9, 250e-9);
		lines(make_run(&r, 1, 6, 1, 0), 55e-9, 250e-9);
	}
	assert_true(halfwidth(&r, 1) < 0.001);
	for (size_t i = 0; i < r.n_run; i++)
		lines(&r.run[i], 55e-9, 55e-9);
	assert_true(halfwidth(&r, 1) > 0.1);
	sd_record_free(&r);
}

/* If a run takes as long in both placements all runs count, those across a change as well. */
static void runs_of_both_states_count_where_they_take_as_long(void **state)
{
	struct sd_record r;
	double few;

	(void)state;
	make_record(&r, one_two_four, 2);
	for (int i = 0; i < 3; i++) {
		lines(make_run(&r, 0, 8 + 0.1 * i, 1, 0), 55e-9, 55e-9);
		lines(make_run(&r, 1, 4 + 0.1 * i, 1, 0), 55e-9, 56e-9);
	}
	few = halfwidth(&r, 1);
	for (int i = 0; i < 9; i++) {
		lines(make_run(&r, 0, 8 + 0.1 * (i % 3), 1, 0), 250e-9, i % 2 ? 55e-9 : 250e-9);
		lines(make_run(&r, 1, 4 + 0.1 * (i % 3), 1, 0), 250e-9, i % 2 ? 55e-9 : 250e-9);
	}
	assert_true(halfwidth(&r, 1) < few);
	sd_record_free(&r);
}

static void the_drift_check_belongs_after_the_last_block(void **state)
{
	struct sd_record r;

	(void)state;
	make_record(&r, one_two_four, 3);
	assert_false(sd_schedule_drift_done(&r));
	runs(&r, 0, 2, 4, 0);
	assert_false(sd_schedule_drift_done(&r));
	make_run(&r, 0, 4, 1, 0)->kind = SD_RUN_DRIFT;
	assert_true(sd_schedule_drift_done(&r));
	make_run(&r, 1, 4, 1, 0)->block = 9;
	assert_false(sd_schedule_drift_done(&r));
	assert_int_equal(sd_schedule_block(&r), 9);
	assert_true(sd_schedule_has(&r, 1, 9));
	assert_false(sd_schedule_has(&r, 0, 9));
	/* a quick look has no time for it */
	r.plan.quick = 1;
	assert_true(sd_schedule_drift_done(&r));
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disturbed_runs_do_not_narrow_the_interval),
		cmocka_unit_test(a_clear_loss_beside_others_gets_the_usual_runs),
		cmocka_unit_test(noise_is_not_chased_for_longer_than_the_first_runs_took),
		cmocka_unit_test(noise_leaves_experiments_the_end_of_the_time),
		cmocka_unit_test(a_change_of_state_during_a_run_is_seen),
		cmocka_unit_test(runs_are_compared_within_the_usual_state),
		cmocka_unit_test(runs_of_both_states_count_where_they_take_as_long),
		cmocka_unit_test(the_drift_check_belongs_after_the_last_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
