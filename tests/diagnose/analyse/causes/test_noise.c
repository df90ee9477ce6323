/*
 * CPU time of others, drift and scatter change verdicts.
 */
#include <stdlib.h>

#include "diagnose/analyse/causes/two_points.h"

/* Times that seldom agree to 5 % are no reason to doubt a program without a loss; an interval that
 * reaches below 90 % is, and so is a best estimate below 95 %. */
static void scaling_is_told_by_the_estimate_and_how_sure_it_is(void **state)
{
	unsigned count[3] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 120; seed++) {
		const double efficiency = .75 + .02 * (double)(seed % 13);
		struct sample one = {.wall = 4, .user = 4};
		struct sample many = {.wall = 1 / efficiency, .user = 4 / efficiency};
		struct sd_interval e;
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 4, &one, &many, 6, seed % 3 ? .03 : .005, seed);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		e = a.point[1].efficiency;
		/* surely above 80 % it scales, surely below it does not */
		if (e.low >= .9)
			assert_int_equal(a.scales, SD_SCALES_YES);
		else if (e.low < .8 && e.high >= .8)
			assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
		else if (e.low < .8)
			assert_int_not_equal(a.scales, SD_SCALES_YES);
		if (e.value >= .95 && e.low >= .9)
			assert_int_equal(named(&a), 0);
		count[a.scales]++;
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	for (size_t k = 0; k < 3; k++)
		assert_int_not_equal(count[k], 0);
}

/* The time of one run varies, and its parts vary on their own as well. */
static void no_cause_is_named_from_parts_that_only_vary(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		const unsigned cores[] = {1, 4};
		struct sd_random random;
		struct sd_analysis a;
		struct sd_record r;

		record_make(&r, cores, 2);
		r.plan.seed = seed;
		sd_random_seed(&random, seed, 9);
		for (int i = 0; i < 16; i++) {
			unsigned n = cores[i % 2];
			double slow = (double)sd_random_below(&random, 1000) / 1000 * .04;
			double wait = (double)sd_random_below(&random, 1000) / 1000 * .04;
			int kind = (int)sd_random_below(&random, SD_IDLE_COUNT);
			struct sample s = {.user = 4 * (1 + slow)};

			s.idle[kind] = 4 * wait;
			s.wall = (s.user + s.idle[kind]) / n;
			record_sample(&r, (size_t)i % 2, &s, 1);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(named(&a), 0);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void what_others_took_widens_what_is_said_of_the_program(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {
		.wall = 5, .user = 8, .steal = 4, .idle = {[SD_IDLE_SERIAL] = 8}};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 7);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	/* .8 cores were stolen, and the three other threads may have waited for each thread that
	 * lost its core: that is more than all of the wait. */
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		assert_true(a.finding[i].verdict >= SD_VERDICT_POSSIBLE);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_SERIAL_CODE);
	assert_near(a.finding[0].cores.value, 1.6, .01);
	assert_near(a.finding[0].cores.low, 0, 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_NOISE)->verdict, SD_VERDICT_POSSIBLE);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	assert_true(warned(&a, "busy"));
	assert_near(a.noise.value, .2, .001);
	assert_near(a.point[1].stack[SD_COMPONENT_STOLEN].value, .8, .01);
	sd_analysis_free(&a);

	/* ticks of a time longer than a short run: no more than all of it went to others */
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].metric[SD_METRIC_FOREIGN] = SD_OK(100);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_near(a.noise.value, 1, 1e-12);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Three runs of eight lose half a core to others, and take longer for it. */
static void runs_that_others_disturbed_are_left_out_while_enough_remain(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8}, many = {.wall = 2, .user = 8};
	struct sd_analysis a;
	struct sd_record r;
	unsigned left = 0;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 7);
	for (size_t i = 0; i < r.n_run && left < 3; i++)
		if (r.run[i].point == 1) {
			r.run[i].metric[SD_METRIC_WALL].value = 4;
			r.run[i].metric[SD_METRIC_FOREIGN] = SD_OK(8);
			left++;
		}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.point[1].runs, 5);
	assert_true(warned(&a, "discarded 3 of 8 runs at 4 cores"));
	assert_near(a.point[1].wall.value, 2, .1);
	assert_int_equal(a.scales, SD_SCALES_YES);
	sd_analysis_free(&a);

	/* all of them: there is nothing better */
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].metric[SD_METRIC_FOREIGN] = SD_OK(r.run[i].point ? 8 : 0);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.point[1].runs, SD_STATISTICS_FEW);
	assert_true(warned(&a, "busy"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Others took a fifth of the CPUs, and while a thread waits for its own the other one may wait for
 * it: twice that of the loss may be theirs, whatever the program is like. */
static void what_others_may_have_cost_is_no_loss_of_the_programs(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const double efficiency[] = {.7, .35};

	(void)state;
	for (int k = 0; k < 4; k++) {
		const double wall = 4 / efficiency[k / 2];
		const double taken = k % 2 ? .2 * 2 * wall : 0;
		const struct sample many = {.wall = wall,
			.user = 8,
			.run_delay = taken,
			.idle = {[SD_IDLE_SERIAL] = 2 * wall - 8 - taken,
				[SD_IDLE_RUNNABLE] = taken}};
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 2, &one, &many, 8, .002, 7);
		for (size_t i = 0; i < r.n_run; i++)
			if (r.run[i].point == 1 && k % 2)
				r.run[i].metric[SD_METRIC_FOREIGN] = SD_OK(taken);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.scales,
			k % 2 && efficiency[k / 2] > .6 ? SD_SCALES_UNKNOWN : SD_SCALES_NO);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Ready threads wait for others no longer than these ran: for the rest they wait to be woken. */
static void a_machine_is_as_noisy_as_what_others_took(void **state)
{
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {
		.wall = 7, .user = 10, .run_delay = 4, .idle = {[SD_IDLE_RUNNABLE] = 4}};

	(void)state;
	for (int noisy = 0; noisy < 2; noisy++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 2, &one, &many, 8, .002, 7);
		for (size_t j = 0; j < r.n_run; j++) {
			struct sd_value *const m = r.run[j].metric;

			m[SD_METRIC_STEAL] = m[SD_METRIC_POLL_CPU] = SD_OK(0);
			m[SD_METRIC_FOREIGN] = SD_OK(noisy && r.run[j].point ? 4 : .01);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(finding_of(&a, SD_CAUSE_NOISE)->verdict,
			noisy ? SD_VERDICT_LIKELY : SD_VERDICT_RULED_OUT);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Threads that never ran together cannot have disturbed each other. */
static void nothing_is_ruled_out_by_threads_that_others_kept_apart(void **state)
{
	static const struct sample one = {.wall = 10, .user = 6, .run_delay = 4};
	static const struct sample many = {
		.wall = 10, .user = 6, .run_delay = 14, .idle = {[SD_IDLE_RUNNABLE] = 14}};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 2, &one, &many, 8, .002, 7);
	for (size_t j = 0; j < r.n_run; j++) {
		r.run[j].metric[SD_METRIC_FOREIGN] = SD_OK(r.run[j].point ? 14 : 4);
		r.run[j].metric[SD_METRIC_POLL_CPU] = SD_OK(0);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_NOISE);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	for (size_t j = 0; j < r.n_run; j++)
		r.run[j].metric[SD_METRIC_USER].value *= r.run[j].point ? 1.02 : 1;
	sd_analysis_free(&a);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(
		finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_NOT_MEASURABLE);
	/* one reason in one wording, to be said once for all it holds for */
	assert_string_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->evidence.text[0],
		finding_of(&a, SD_CAUSE_ALLOCATOR)->evidence.text[0]);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* At an efficiency of 40 %, a drift of 20 % is .32 of the four cores. */
static void a_drift_widens_bounds_by_as_much(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}};
	static const struct {
		double factor;
		int drifted;
	} row[] = {{1.001, 0}, {1.08, 1}, {1.2, 1}, {.8, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		const struct sd_finding *f;
		struct sd_record r;

		two_points(&r, 4, &one, &many, 8, .01, 8);
		record_sample(&r, 0, &one, row[i].factor)->kind = SD_RUN_DRIFT;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_near(a.drift.value, row[i].factor - 1, .02);
		assert_int_equal(warned(&a, "drifted"), row[i].drifted);
		f = finding_of(&a, SD_CAUSE_SERIAL_CODE);
		assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
		assert_near(f->cores.value, 2.4, .02);
		/* without the noise of the runs, .03 of the time */
		assert_true(f->cores.low <= 2.4 - (fabs(row[i].factor - 1) - .05) * .4 * 4);
		assert_true(f->cores.low >= 2.3 - fabs(row[i].factor - 1) * .4 * 4);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void fewer_runs_have_wider_bounds(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}};
	static const size_t runs[] = {2, 4, 12};
	double width[3];

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct sd_analysis a;
		struct sd_record r;

		record_make(&r, (const unsigned[]){1, 4}, 2);
		/* the waits, too, differ by 2 % from run to run */
		for (size_t i = 0; i < runs[k]; i++) {
			struct sample other = many;

			other.idle[SD_IDLE_SERIAL] *= i % 2 ? 1 : .98;
			other.idle[SD_IDLE_LOCK] = 12 - other.idle[SD_IDLE_SERIAL];
			record_sample(&r, 0, &one, i % 2 ? 1.01 : 1);
			record_sample(&r, 1, &other, i % 2 ? 1.01 : 1);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.finding[0].cause, SD_CAUSE_SERIAL_CODE);
		width[k] = a.finding[0].cores.high - a.finding[0].cores.low;
		assert_int_equal(warned(&a, "range"), runs[k] < 5);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	assert_true(width[0] > 2 * width[1]);
	assert_true(width[1] > 1.5 * width[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_is_as_noisy_as_what_others_took),
		cmocka_unit_test(scaling_is_told_by_the_estimate_and_how_sure_it_is),
		cmocka_unit_test(no_cause_is_named_from_parts_that_only_vary),
		cmocka_unit_test(what_others_took_widens_what_is_said_of_the_program),
		cmocka_unit_test(runs_that_others_disturbed_are_left_out_while_enough_remain),
		cmocka_unit_test(what_others_may_have_cost_is_no_loss_of_the_programs),
		cmocka_unit_test(nothing_is_ruled_out_by_threads_that_others_kept_apart),
		cmocka_unit_test(a_drift_widens_bounds_by_as_much),
		cmocka_unit_test(fewer_runs_have_wider_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
