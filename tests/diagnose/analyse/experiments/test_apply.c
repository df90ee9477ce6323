/*
 * Experiments change verdicts, on made-up records of one and two cores.
 */
#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "support/near.h"
#include "base/configs.h"
#include "experiments/next_experiment.h"
#include "advice/advice_texts.h"

static void without_experiments_growth_is_possible_for_every_cause(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	verdict_is(&r, &a);
	EXPECT(&a, MEMORY_BANDWIDTH, "possible");
	EXPECT(&a, FALSE_SHARING, "possible");
	EXPECT(&a, SPINNING, "possible");
	assert_null(a.growth);
	done(&r, &a);
}

static void copies_that_keep_their_pace_rule_out_shared_hardware(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	verdict_is(&r, &a);
	EXPECT(&a, MEMORY_BANDWIDTH, "ruled-out");
	EXPECT(&a, LLC_CAPACITY, "ruled-out");
	EXPECT(&a, FREQUENCY, "ruled-out");
	EXPECT(&a, FALSE_SHARING, "possible");
	EXPECT(&a, TRUE_SHARING, "possible");
	EXPECT(&a, EXTRA_WORK, "possible");
	done(&r, &a);
}

static void copies_that_are_faster_than_one_alone_take_nothing_from_it(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_tested *t;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, .75);
	verdict_is(&r, &a);
	t = &a.tested[SD_EXPERIMENT_REPLICAS];
	EXPECT(&a, MEMORY_BANDWIDTH, "ruled-out");
	assert_true(fabs(t->loss.value) < 1e-9);
	assert_true(says(&t->seen, "hardware takes 0 % of the cores, what the threads share 38 %"));
	done(&r, &a);
}

/* If copies keep their pace, both cores do a function that takes twice the time on two cores. */
static void functions_that_every_core_runs_whole_are_extra_work(void **state)
{
	static const struct {
		double before, after; /* s of the function that grows; all else stays */
		double copies;        /* times as long */
		int named;
	} row[] = {{2.4, 4.8, 1, 1}, {1.2, 3.6, 1, 0}, {2.4, 4.8, 1 / EFFICIENCY, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_finding *f;
		unsigned table, rest;

		with_experiments(&r, &slow);
		table = make_call(&r, 0, "table", "/src/app.c", 7, "/bin/app");
		rest = make_call(&r, 0, "rest", "/src/app.c", 9, "/bin/app");
		for (size_t i = 0; i < r.n_run; i++) {
			const double user = r.run[i].metric[SD_METRIC_USER].value;
			const double mine = r.run[i].point ? row[k].after : row[k].before;

			make_use(&r.run[i], table, SD_ACTIVITY_USEFUL, mine);
			make_use(&r.run[i], rest, SD_ACTIVITY_USEFUL, user - mine);
		}
		copies(&r, 5, row[k].copies);
		verdict_is(&r, &a);
		f = finding_of(&a, SD_CAUSE_EXTRA_WORK);
		assert_string_equal(sd_verdict_name[f->verdict], "possible");
		assert_int_equal(f->cores.status == SD_STATUS_OK, row[k].named);
		if (row[k].named) {
			assert_true(fabs(f->cores.value - .75) < .02);
			assert_true(says(&f->evidence, "table() takes 2.00 times"));
		}
		done(&r, &a);
	}
}

/* If copies keep their pace and nobody has seen the lines, time at atomic instructions waits for a
 * line; time at a lock's is the lock's. */
static void growth_at_atomic_instructions_is_true_sharing_by_what_is_known(void **state)
{
	static const struct {
		double before, after; /* s at atomic instructions, of all user time */
		double copies;        /* times as long */
		int lock, named;
	} row[] = {{.5, 2.5, 1, 0, 1}, {.5, 2.5, 1, 1, 0}, {.5, 1, 1, 0, 0}, {2.5, 2.5, 1, 0, 0},
		{.5, 2.5, 1 / EFFICIENCY, 0, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_finding *f;
		unsigned count;

		with_experiments(&r, &slow);
		count = make_call(&r, 0, "count", "/src/app.c", 7, "/bin/app");
		if (row[k].lock)
			count = make_call(&r, count, "__pthread_mutex_lock", NULL, 0,
				"/usr/lib/x86_64-linux-gnu/libc.so.6");
		for (size_t i = 0; i < r.n_run; i++) {
			const double user = r.run[i].metric[SD_METRIC_USER].value;

			make_use(&r.run[i], count, SD_ACTIVITY_USEFUL, user)->atomic =
				r.run[i].point ? row[k].after : row[k].before;
		}
		copies(&r, 5, row[k].copies);
		verdict_is(&r, &a);
		f = finding_of(&a, SD_CAUSE_TRUE_SHARING);
		assert_string_equal(sd_verdict_name[f->verdict], "possible");
		assert_int_equal(f->cores.status == SD_STATUS_OK, row[k].named);
		assert_int_equal(says(&f->evidence, "see lock contention"), row[k].lock);
		assert_int_equal(says(&f->evidence, "is at atomic instructions"), row[k].named);
		EXPECT(&a, FALSE_SHARING, "possible");
		done(&r, &a);
	}
}

/* A word that nobody need share need not be changed by atomic instructions either: what these take
 * on one core may go with it. */
static void atomic_instructions_of_one_core_may_go_with_true_sharing(void **state)
{
	struct sd_interval worth[2];

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_finding *f;
		unsigned count;

		with_experiments(&r, &slow);
		count = make_call(&r, 0, "count", "/src/app.c", 7, "/bin/app");
		for (size_t i = 0; i < r.n_run; i++)
			make_use(&r.run[i], count, SD_ACTIVITY_USEFUL,
				r.run[i].metric[SD_METRIC_USER].value)
				->atomic = (r.run[i].point ? 2.2 : .2) + (double)k;
		copies(&r, 5, 1);
		verdict_is(&r, &a);
		f = finding_of(&a, SD_CAUSE_TRUE_SHARING);
		assert_int_equal(f->worth.status, SD_STATUS_OK);
		worth[k] = f->worth;
		done(&r, &a);
	}
	assert_true(worth[1].high > worth[0].high);
	assert_near(worth[1].low, worth[0].low, 1e-9);
	assert_near(worth[1].value, worth[0].value, 1e-9);
}

/* Copies share no line: what slows their atomic instructions down is the bus. */
static void atomic_instructions_that_slow_copies_down_lock_the_bus(void **state)
{
	static const struct {
		double after, copies; /* s at atomic instructions; times as long */
		const char *verdict;
	} row[] = {{2.5, 1 / EFFICIENCY, "likely"}, {2.5, 1, "ruled-out"},
		{.02, 1 / EFFICIENCY, "ruled-out"}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_finding *f;
		unsigned count;

		with_experiments(&r, &slow);
		count = make_call(&r, 0, "count", "/src/app.c", 7, "/bin/app");
		for (size_t i = 0; i < r.n_run; i++)
			make_use(&r.run[i], count, SD_ACTIVITY_USEFUL,
				r.run[i].metric[SD_METRIC_USER].value)
				->atomic = r.run[i].point ? row[k].after : .02;
		copies(&r, 5, row[k].copies);
		verdict_is(&r, &a);
		f = finding_of(&a, SD_CAUSE_BUS_LOCKS);
		assert_string_equal(sd_verdict_name[f->verdict], row[k].verdict);
		if (f->verdict == SD_VERDICT_LIKELY) {
			assert_ptr_equal(f, &a.finding[0]);
			assert_true(says(&f->evidence, "locks the bus"));
		}
		done(&r, &a);
	}
}

/* The atomic instructions of malloc are the allocator's, not those of data that threads share. */
static void growth_at_mallocs_atomic_instructions_is_the_allocators(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_finding *f;
	unsigned malloc, rest;

	(void)state;
	with_experiments(&r, &slow);
	malloc = make_call(&r, 0, "malloc", NULL, 0, "/usr/lib/libc.so.6");
	rest = make_call(&r, 0, "rest", "/src/app.c", 9, "/bin/app");
	for (size_t i = 0; i < r.n_run; i++) {
		const double user = r.run[i].metric[SD_METRIC_USER].value;
		const double mine = r.run[i].point ? 2.9 : .5;

		make_use(&r.run[i], malloc, SD_ACTIVITY_USEFUL, mine)->atomic = mine;
		make_use(&r.run[i], rest, SD_ACTIVITY_USEFUL, user - mine);
	}
	copies(&r, 5, 1);
	verdict_is(&r, &a);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_ALLOCATOR);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	assert_true(fabs(a.finding[0].cores.value - .75) < .02);
	f = finding_of(&a, SD_CAUSE_TRUE_SHARING);
	assert_true(f->verdict >= SD_VERDICT_POSSIBLE);
	assert_int_equal(f->cores.status, SD_STATUS_ABSENT);
	assert_true(says(&f->evidence, "those of malloc"));
	assert_int_equal(f->advice.n, 0);
	done(&r, &a);
}

static void two_pairs_say_nothing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 2, 1);
	verdict_is(&r, &a);
	EXPECT(&a, MEMORY_BANDWIDTH, "possible");
	done(&r, &a);
}

static void a_confirmed_cause_takes_the_growth_and_leaves_nothing_to_others(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1 / EFFICIENCY);
	thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 5, 1.5, 9e9);
	thief(&r, SD_EXPERIMENT_CACHE_THIEF, 5, 1, 9e9);
	verdict_is(&r, &a);
	assert_ptr_equal(a.growth, &sd_cause_info[SD_CAUSE_MEMORY_BANDWIDTH]);
	EXPECT(&a, FALSE_SHARING, "ruled-out");
	EXPECT(&a, EXTRA_WORK, "ruled-out");
	assert_int_equal(a.finding[0].cause, SD_CAUSE_MEMORY_BANDWIDTH);
	assert_true(fabs(a.finding[0].cores.value - 2 * (1 - EFFICIENCY)) < .05);
	done(&r, &a);
}

/* The copies lose half as much as the program: the other half is open, and no more than that. */
static void what_is_undecided_is_what_a_confirmed_cause_leaves(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1 / .8);
	thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 5, 1.5, 9e9);
	thief(&r, SD_EXPERIMENT_CACHE_THIEF, 5, 1, 9e9);
	verdict_is(&r, &a);
	EXPECT(&a, MEMORY_BANDWIDTH, "confirmed");
	EXPECT(&a, FALSE_SHARING, "possible");
	assert_int_equal(a.undecided.status, SD_STATUS_OK);
	assert_true(fabs(a.undecided.value - (2 * (1 - EFFICIENCY) - 2 * .2)) < .05);
	done(&r, &a);
}

static void noise_settles_nothing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	for (unsigned i = 0; i < 5; i++) {
		struct sample s = slow;

		s.wall *= i % 2 ? 1.3 : .6;
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_PLAIN, i, &slow);
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_CHANGED, i, &s);
	}
	verdict_is(&r, &a);
	EXPECT(&a, FALSE_SHARING, "possible");
	assert_false(a.tested[SD_EXPERIMENT_PADDING].decided);
	done(&r, &a);
}

static void a_program_that_scales_gets_no_cause_whatever_experiments_do(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &good);
	copies(&r, 5, 1.5);
	thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 5, 1.5, 9e9);
	pairs(&r, SD_EXPERIMENT_PADDING, 1, 5, .7);
	clock_is(&r, .75);
	verdict_is(&r, &a);
	assert_int_equal(a.scales, SD_SCALES_YES);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		assert_true(a.finding[i].verdict > SD_VERDICT_POSSIBLE);
	done(&r, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_experiments_growth_is_possible_for_every_cause),
		cmocka_unit_test(copies_that_keep_their_pace_rule_out_shared_hardware),
		cmocka_unit_test(copies_that_are_faster_than_one_alone_take_nothing_from_it),
		cmocka_unit_test(functions_that_every_core_runs_whole_are_extra_work),
		cmocka_unit_test(growth_at_atomic_instructions_is_true_sharing_by_what_is_known),
		cmocka_unit_test(growth_at_mallocs_atomic_instructions_is_the_allocators),
		cmocka_unit_test(atomic_instructions_of_one_core_may_go_with_true_sharing),
		cmocka_unit_test(atomic_instructions_that_slow_copies_down_lock_the_bus),
		cmocka_unit_test(two_pairs_say_nothing),
		cmocka_unit_test(a_confirmed_cause_takes_the_growth_and_leaves_nothing_to_others),
		cmocka_unit_test(what_is_undecided_is_what_a_confirmed_cause_leaves),
		cmocka_unit_test(noise_settles_nothing),
		cmocka_unit_test(a_program_that_scales_gets_no_cause_whatever_experiments_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
