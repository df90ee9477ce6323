/*
 * Copies, thieves and the clock decide about shared hardware.
 */

#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "base/configs.h"
#include "experiments/next_experiment.h"
#include "advice/advice_texts.h"

static void copies_that_slow_down_name_no_cause_alone(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1 / EFFICIENCY);
	verdict_is(&r, &a);
	EXPECT(&a, MEMORY_BANDWIDTH, "possible");
	EXPECT(&a, LLC_CAPACITY, "possible");
	assert_null(a.growth);
	done(&r, &a);
}

/* Waits for peers of threads with even CPU times, or of which one has much more to do. */
static void waits_of_threads_that_are_slow_by_turns_are_for_shared_hardware(void **state)
{
	static const struct {
		double more, ratio; /* CPU time of the first thread; of copies */
		const char *verdict;
	} row[] = {{1.02, 1.6, "ruled-out"}, {1.02, 1, "possible"}, {1.3, 1.6, "likely"}};
	static const struct sample waits = {
		.wall = 3.2, .user = 5, .idle = {[SD_IDLE_IMBALANCE] = 1.3}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;
		struct sd_analysis a;

		with_experiments(&r, &waits);
		for (size_t i = 0; i < r.n_run; i++)
			if (r.run[i].point == 1)
				for (int t = 0; t < 2; t++)
					make_thread(&r.run[i], 100 + t,
						2.5 * (t ? 2 - row[k].more : row[k].more));
		copies(&r, 6, row[k].ratio);
		verdict_is(&r, &a);
		EXPECT(&a, LOAD_IMBALANCE, row[k].verdict);
		done(&r, &a);
	}
}

static void a_thief_that_slows_the_program_tells_bandwidth_from_capacity(void **state)
{
	static const struct {
		double band, cache;
		const char *bandwidth, *capacity;
	} row[] = {
		{1.5, 1, "confirmed", "ruled-out"},
		{1, 1.5, "ruled-out", "confirmed"},
		{1.5, 1.4, "possible", "possible"}, /* any thief hurts */
		{1.5, 0, "likely", "ruled-out"},    /* nothing is left for the other */
		{1, 1, "ruled-out", "ruled-out"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		struct sd_analysis a;

		with_experiments(&r, &slow);
		copies(&r, 5, 1 / EFFICIENCY);
		thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 5, row[i].band, 9e9);
		if (row[i].cache > 0)
			thief(&r, SD_EXPERIMENT_CACHE_THIEF, 5, row[i].cache, 9e9);
		verdict_is(&r, &a);
		EXPECT(&a, MEMORY_BANDWIDTH, row[i].bandwidth);
		EXPECT(&a, LLC_CAPACITY, row[i].capacity);
		done(&r, &a);
	}
}

/* A few pairs that may as well have lost nothing are no second thief that slows it down. */
static void a_thief_whose_pairs_scatter_does_not_excuse_the_other(void **state)
{
	static const struct {
		double faster, slower;
		const char *bandwidth;
	} row[] = {{.7, 2.6, "likely"}, {1.35, 1.35, "possible"}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;
		struct sd_analysis a;

		with_experiments(&r, &slow);
		copies(&r, 5, 1 / EFFICIENCY);
		thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 5, 1.5, 9e9);
		thief(&r, SD_EXPERIMENT_CACHE_THIEF, 4, 1, 9e9);
		for (size_t i = 0; i < r.n_run; i++) {
			const struct sd_experiment_run *const t = r.run[i].tried;

			if (t && t->experiment == SD_EXPERIMENT_CACHE_THIEF &&
				t->arm == SD_ARM_CHANGED)
				r.run[i].metric[SD_METRIC_WALL].value *=
					t->pair % 2 ? row[k].faster : row[k].slower;
		}
		verdict_is(&r, &a);
		EXPECT(&a, MEMORY_BANDWIDTH, row[k].bandwidth);
		done(&r, &a);
	}
}

/* The machine may change after the last plain run: such pairs tell of another machine. */
static void pairs_in_a_state_that_no_plain_run_saw_say_nothing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1 / EFFICIENCY);
	thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 10, 1.5, 9e9);
	for (size_t i = 0; i < r.n_run; i++) {
		const struct sd_experiment_run *const t = r.run[i].tried;
		const int far = t && t->experiment == SD_EXPERIMENT_BANDWIDTH_THIEF && t->pair >= 4;
		const struct sd_value line = SD_OK(far ? 400e-9 : 80e-9 + 1e-9 * (double)(i % 7));

		r.run[i].metric[SD_METRIC_LINE_BEFORE] = r.run[i].metric[SD_METRIC_LINE_AFTER] =
			line;
		if (far && t->arm == SD_ARM_CHANGED)
			r.run[i].metric[SD_METRIC_WALL].value /= 1.5;
	}
	verdict_is(&r, &a);
	assert_int_equal(a.tested[SD_EXPERIMENT_BANDWIDTH_THIEF].pairs, 4);
	assert_float_equal(a.tested[SD_EXPERIMENT_BANDWIDTH_THIEF].time.value, 1.5, .01);
	EXPECT(&a, MEMORY_BANDWIDTH, "likely");
	done(&r, &a);
}

static void a_thief_that_got_nothing_says_nothing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1 / EFFICIENCY);
	thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 5, 1, 1e9);
	verdict_is(&r, &a);
	EXPECT(&a, MEMORY_BANDWIDTH, "possible");
	done(&r, &a);
}

/* The moved bytes are a fact, also where one plain run a count leaves open what it cost. */
static void a_thief_tells_what_it_moved_without_a_loss_to_explain(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 5, 1.5, 9e9);
	for (size_t i = 0, kept = 0; i < r.n_run; i++)
		if (r.run[i].kind == SD_RUN_BLOCK && r.run[i].point == 1 && !r.run[i].tried &&
			kept++ > 0)
			r.run[i].kind = SD_RUN_WARMUP;
	verdict_is(&r, &a);
	assert_int_equal(a.point[1].runs, 1);
	assert_true(says(
		&a.tested[SD_EXPERIMENT_BANDWIDTH_THIEF].seen, "the thief moves 9.0 GB/s beside"));
	assert_int_equal(a.tested[SD_EXPERIMENT_BANDWIDTH_THIEF].seen.n, 1);
	done(&r, &a);
}

static void the_clock_is_ruled_out_or_likely_by_additions(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	clock_is(&r, .998);
	verdict_is(&r, &a);
	EXPECT(&a, FREQUENCY, "ruled-out");
	done(&r, &a);
	with_experiments(&r, &slow);
	clock_is(&r, .75);
	verdict_is(&r, &a);
	EXPECT(&a, FREQUENCY, "likely"); /* additions slowed down, not the program */
	done(&r, &a);
}

/* The machine changed after the plain runs, and stayed: each pair is still of one state. */
static void pairs_of_the_other_state_say_what_software_does(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	for (int mixed = 0; mixed < 2; mixed++) {
		with_experiments(&r, &slow);
		pairs(&r, SD_EXPERIMENT_PADDING, 1, 5, .7);
		for (size_t i = 0; i < r.n_run; i++) {
			const struct sd_experiment_run *const t = r.run[i].tried;
			const int far = t ? !mixed || t->arm == SD_ARM_CHANGED : i % 10 == 0;

			r.run[i].metric[SD_METRIC_LINE_BEFORE] = SD_OK(far ? 400e-9 : 80e-9);
			r.run[i].metric[SD_METRIC_LINE_AFTER] = SD_OK(far ? 400e-9 : 80e-9);
		}
		verdict_is(&r, &a);
		assert_int_equal(a.tested[SD_EXPERIMENT_PADDING].pairs, mixed ? 0 : 5);
		EXPECT(&a, FALSE_SHARING, mixed ? "possible" : "confirmed");
		done(&r, &a);
	}
}

/* Ten pairs of copies, all while the CPUs were far apart, of a program that ran in both states, in
 * which it takes another time: they are compared with its own runs there. */
static void pairs_of_either_state_are_pairs(void **state)
{
	(void)state;
	for (int met = 0; met < 2; met++) { /* did the program, too, run there? */
		struct sd_record r;
		struct sd_analysis a;
		size_t k = 0;

		with_experiments(&r, &slow);
		copies(&r, 10, 1 / EFFICIENCY);
		for (size_t i = 0; i < r.n_run; i++) {
			struct sd_run *const run = &r.run[i];
			const int far = run->tried || (met && k++ % 5 < 2);

			run->metric[SD_METRIC_LINE_BEFORE] = run->metric[SD_METRIC_LINE_AFTER] =
				SD_OK(far ? 400e-9 : 80e-9);
			if (far && !run->tried && run->point)
				run->metric[SD_METRIC_WALL].value *= 1.5;
		}
		verdict_is(&r, &a);
		assert_int_equal(a.states, 2);
		assert_int_equal(a.tested[SD_EXPERIMENT_REPLICAS].pairs, 10);
		/* what they met is no fact about a state in which they were not made */
		if (!met)
			assert_int_equal(a.tested[SD_EXPERIMENT_REPLICAS].elsewhere, 2);
		for (int c = 0; c < SD_CAUSE_COUNT; c++)
			assert_int_not_equal(a.finding[c].verdict, SD_VERDICT_CONFIRMED);
		assert_true(a.tested[SD_EXPERIMENT_REPLICAS].seen.n > 0);
		done(&r, &a);
	}
}

/* They lose 3 %; where others had a quarter of the CPUs, they met for half of the time only. */
static void copies_that_others_kept_apart_rule_nothing_out(void **state)
{
	(void)state;
	for (int busy = 0; busy < 2; busy++) {
		struct sd_record r;
		struct sd_analysis a;

		with_experiments(&r, &slow);
		copies(&r, 5, 1.035);
		for (size_t i = 0; i < r.n_run; i++) {
			r.run[i].metric[SD_METRIC_FOREIGN] = SD_OK(busy ? 1.6 : 0);
			r.run[i].metric[SD_METRIC_POLL_CPU] = SD_OK(0);
		}
		verdict_is(&r, &a);
		assert_int_equal(
			finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->verdict == SD_VERDICT_RULED_OUT,
			!busy);
		done(&r, &a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_that_slow_down_name_no_cause_alone),
		cmocka_unit_test(waits_of_threads_that_are_slow_by_turns_are_for_shared_hardware),
		cmocka_unit_test(a_thief_that_slows_the_program_tells_bandwidth_from_capacity),
		cmocka_unit_test(a_thief_whose_pairs_scatter_does_not_excuse_the_other),
		cmocka_unit_test(pairs_in_a_state_that_no_plain_run_saw_say_nothing),
		cmocka_unit_test(a_thief_that_got_nothing_says_nothing),
		cmocka_unit_test(a_thief_tells_what_it_moved_without_a_loss_to_explain),
		cmocka_unit_test(the_clock_is_ruled_out_or_likely_by_additions),
		cmocka_unit_test(pairs_of_the_other_state_say_what_software_does),
		cmocka_unit_test(pairs_of_either_state_are_pairs),
		cmocka_unit_test(copies_that_others_kept_apart_rule_nothing_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
