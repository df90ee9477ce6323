/*
 * Steps in their order: rows of steps that were due, and of those that were chosen.
 */
#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "support/make_simulated.h"
#include "support/near.h"

static void choose(struct sd_run *run, double narrows, double takes, enum sd_cause of)
{
	run->choice = make_zeroed(1, sizeof *run->choice);
	*run->choice = (struct sd_run_choice){.narrows = narrows, .takes = takes, .of = of};
}

static void runs_for_the_same_reason_are_one_step(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	size_t due;

	(void)state;
	with_experiments(&r, &slow);
	due = r.n_run;
	pairs(&r, SD_EXPERIMENT_PADDING, 1, 2, .8);
	choose(&r.run[due], .4, 3, SD_CAUSE_FALSE_SHARING);
	choose(&r.run[due + 2], .3, 2, SD_CAUSE_FALSE_SHARING);
	pairs(&r, SD_EXPERIMENT_HUGE_PAGES, 1, 1, 1);
	choose(&r.run[due + 4], .2, 5, SD_CAUSE_DTLB);
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].start = 100 + (double)i;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_step, 3);
	assert_int_equal(a.step[0].runs, due);
	assert_false(a.step[0].chosen);
	assert_int_equal(a.step[0].experiment, SD_EXPERIMENT_COUNT);
	assert_int_equal(a.step[1].runs, 4);
	assert_int_equal(a.step[1].experiment, SD_EXPERIMENT_PADDING);
	assert_int_equal(a.step[1].choice.of, SD_CAUSE_FALSE_SHARING);
	assert_near(a.step[1].choice.narrows, .4, 1e-12);
	assert_near(a.step[1].planned, 5, 1e-12);
	assert_int_equal(a.step[2].experiment, SD_EXPERIMENT_HUGE_PAGES);
	assert_near(a.step[2].at.value, (double)due + 4, 1e-9);
	assert_true(sd_has(a.step[1].took) && a.step[1].took.value > 0);
	sd_analysis_free(&a);
	/* when it was, and how long it took, is not known of every run */
	for (size_t i = due + 4; i < r.n_run; i++) {
		r.run[i].start = 0;
		r.run[i].metric[SD_METRIC_WALL] = SD_NOT(ABSENT);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_false(sd_has(a.step[2].at));
	assert_false(sd_has(a.step[2].took));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A wait is a row before the run that it was for, and what a run looked at parts it from others. */
static void a_rest_and_a_closer_look_are_steps_of_their_own(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].start = 100 + 10 * (double)i;
	choose(&r.run[2], .4, 3, SD_CAUSE_COUNT);
	r.run[2].choice->rested = 2.5;
	choose(&r.run[3], .4, 3, SD_CAUSE_FALSE_SHARING);
	choose(&r.run[4], .4, 3, SD_CAUSE_FALSE_SHARING);
	r.run[4].choice->look = SD_LOOK_WATCH;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_step, 5);
	assert_true(a.step[1].rests);
	assert_int_equal(a.step[1].runs, 0);
	assert_near(a.step[1].at.value, 17.5, 1e-9);
	assert_near(a.step[1].took.value, 2.5, 1e-9);
	for (size_t i = 2; i < 5; i++)
		assert_false(a.step[i].rests);
	assert_int_equal(a.step[2].runs, 1);
	assert_int_equal(a.step[3].choice.look, SD_LOOK_TIMES);
	assert_int_equal(a.step[4].choice.look, SD_LOOK_WATCH);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A simulation took the time of the runs for it that are not kept, too. */
static void a_simulation_took_what_was_run_for_it(void **state)
{
	const struct sd_value beside[] = {SD_NOT(ABSENT), SD_OK(2.5)};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *s;

		with_experiments(&r, &slow);
		s = make_simulated(&r, 1);
		s->beside = beside[i];
		r.run[r.n_run - 1].metric[SD_METRIC_WALL] = SD_OK(4);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.step[a.n_step - 1].kind, SD_RUN_SIMULATED);
		assert_near(a.step[a.n_step - 1].took.value, i ? 6.5 : 4, 1e-9);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rest_and_a_closer_look_are_steps_of_their_own),
		cmocka_unit_test(runs_for_the_same_reason_are_one_step),
		cmocka_unit_test(a_simulation_took_what_was_run_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
