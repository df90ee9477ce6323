/*
 * How long runs under the software PMU may take that nobody asked for.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "experiment/simulation_time.h"
#include "experiment/software_pmu.h"
#include "record/short_budget.h"
#include "support/make_record.h"

#define LINE 100e-9 /* s there and back */

/* Ten runs of each count, of which the last ended so many s after the first began. */
static void plain_runs(struct sd_record *r, double wall_one, double wall_two, double spent)
{
	static const unsigned one_two[] = {1, 2};

	make_record(r, one_two, 2);
	r->plan.budget_s = 0;
	for (size_t i = 0; i < 20; i++) {
		struct sd_run *const run =
			make_run(r, i % 2, i % 2 ? wall_two : wall_one, wall_one, 0);

		run->start = 1e9 + (spent - wall_two) * (double)i / 19;
		run->metric[SD_METRIC_LINE_BEFORE] = SD_OK(LINE);
	}
}

/* A run of the point under the software PMU, of so many moves. */
static void simulate(struct sd_record *r, size_t point, double wall, double moves)
{
	struct sd_run *const run = make_run(r, point, wall, wall, 0);

	run->kind = SD_RUN_SIMULATED;
	run->start = r->run[r->n_run - 2].start + r->run[r->n_run - 2].metric[SD_METRIC_WALL].value;
	run->simulated = make_zeroed(1, sizeof *run->simulated);
	run->simulated->thread = make_zeroed(1, sizeof *run->simulated->thread);
	run->simulated->n_thread = 1;
	run->simulated->thread[0].hitm_load = moves;
}

/* Moves that take more than half of what is lost, .4 of .8 core-s here, are sharing. */
static void enough_moves_are_sharing(void **state)
{
	const double enough = .2 / (LINE / 2);
	struct sd_record r;

	(void)state;
	plain_runs(&r, .4, .4, 8);
	assert_false(sd_simulation_time_is_sharing(&r, 1, NULL));
	simulate(&r, 1, 6, .9 * enough);
	assert_false(sd_simulation_time_is_sharing(&r, 1, NULL));
	r.run[r.n_run - 1].simulated->thread[0].hitm_load = 1.1 * enough;
	assert_true(sd_simulation_time_is_sharing(&r, 1, NULL));
	/* so do those of a run that is not in the record yet */
	assert_true(sd_simulation_time_is_sharing(&r, 1, r.run[r.n_run - 1].simulated));
	assert_false(sd_simulation_time_is_sharing(&r, 1, &(struct sd_simulated){0}));
	/* a reference of several cores has moves of its own */
	r.plan.point[0].cores = 2;
	assert_false(sd_simulation_time_is_sharing(&r, 1, NULL));
	sd_record_free(&r);
	/* nothing is lost */
	plain_runs(&r, .4, .2, 8);
	simulate(&r, 1, 6, 1.1 * enough);
	assert_false(sd_simulation_time_is_sharing(&r, 1, NULL));
	sd_record_free(&r);
}

/* Both runs, with counting or without, end in time; where that is over they are as long as they
 * have to be to say anything. */
static void they_end_in_time_or_are_short(void **state)
{
	(void)state;
	for (double wall = .05; wall < 30; wall *= 1.7)
		for (double part = .1; part <= 1; part += .1) {
			const double whole = sd_short_budget_of(wall, 2);
			struct sd_record r;
			double left, first, second;

			plain_runs(&r, wall, wall, part * whole);
			r.calibration.made = 1;
			left = sd_short_budget_left(&r);
			first = sd_simulation_time_run(&r, 1, 1, 0);
			assert_true(first >= sd_short_budget_simulated(&r) &&
				    first <= fmax(sd_simulation_time_limit(&r, 1),
						     sd_short_budget_simulated(&r)));
			assert_true(first <= fmax(left, sd_short_budget_simulated(&r)) + 1e-9);
			assert_true(sd_simulation_time_after(&r, 1, first) <= left - first + 1e-9);
			simulate(&r, 1, first, 0);
			left = sd_short_budget_left(&r);
			second = sd_simulation_time_run(&r, 1, 0, 0);
			assert_true(second <= fmax(left, sd_short_budget_reference(&r)) + 1e-9);
			/* what went by after the last run is not there any more */
			assert_true(sd_simulation_time_run(&r, 1, 0, 5) <= second);
			assert_true(sd_simulation_time_run(&r, 1, 0, 1e6) <=
				    sd_short_budget_reference(&r) + 1e-9);
			/* sharing needs no more of the reference */
			r.run[r.n_run - 1].simulated->thread[0].hitm_load = 1e12;
			assert_true(sd_simulation_time_run(&r, 1, 0, 0) <=
				    sd_short_budget_reference(&r) + 1e-9);
			sd_record_free(&r);
		}
}

/* It grows with what the program takes, and with what a simulation of it took; what took less than
 * is usual does not shorten it. */
static void the_limit_is_of_what_the_program_takes(void **state)
{
	struct sd_record r;
	double of_one, before;

	(void)state;
	plain_runs(&r, .4, .4, 8);
	of_one = sd_simulation_time_limit(&r, 0);
	before = sd_simulation_time_limit(&r, 1);
	assert_true(before > of_one); /* of two cores' time */
	simulate(&r, 1, .5, 0);
	assert_true(sd_simulation_time_limit(&r, 0) == of_one);
	r.run[r.n_run - 1].metric[SD_METRIC_WALL] = SD_OK(100);
	assert_true(sd_simulation_time_limit(&r, 0) > 2 * of_one);
	assert_true(sd_simulation_time_limit(&r, 1) > 200);
	sd_record_free(&r);
	/* with a budget of the user's it is the limit of its run */
	plain_runs(&r, 4, 4, 80);
	assert_true(sd_simulation_time_limit(&r, 1) > 5 * (before - of_one));
	r.plan.budget_s = 1000;
	assert_true(sd_simulation_time_run(&r, 1, 1, 0) == sd_simulation_time_limit(&r, 1));
	sd_record_free(&r);
}

/* The record's last run was a day ago by any clock: that was a pause, and takes none of the time.
 * What went by since this scalediag began, or kept a run, does. */
static void a_pause_before_resume_takes_no_time(void **state)
{
	struct sd_plan_experiment e = {.experiment = SD_EXPERIMENT_SOFTWARE_PMU, .point = 1};
	struct sd_trial trial = {.kept_at = sd_clock_s()};
	const struct sd_arm_round round = {.t = &trial, .e = &e};
	struct sd_record r;
	double whole;

	(void)state;
	plain_runs(&r, .4, .4, 8);
	r.calibration.made = 1;
	trial.record = &r;
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].start += sd_clock_day() - 86400 - r.run[r.n_run - 1].start;
	whole = sd_simulation_time_run(&r, 1, 1, 0);
	assert_true(whole > sd_simulation_time_run(&r, 1, 1, 60)); /* it matters */
	assert_true(sd_software_pmu_longest(&round, 1) > .9 * whole);
	trial.kept_at -= 60;
	assert_true(sd_software_pmu_longest(&round, 1) <= sd_simulation_time_run(&r, 1, 1, 60));
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enough_moves_are_sharing),
		cmocka_unit_test(a_pause_before_resume_takes_no_time),
		cmocka_unit_test(they_end_in_time_or_are_short),
		cmocka_unit_test(the_limit_is_of_what_the_program_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
