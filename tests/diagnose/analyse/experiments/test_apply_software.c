/*
 * Sleeping waits, padding and allocators decide about spinning, false sharing and malloc.
 */
#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "base/configs.h"
#include "experiments/next_experiment.h"
#include "advice/advice_texts.h"

/* Waits that sleep: the same time, CPU time saved, and the idle time is of this kind. */
static void passive(struct sd_record *r, enum sd_idle idle)
{
	struct sample changed = slow;

	changed.user -= 2;
	changed.idle[idle] = 2;
	for (unsigned i = 0; i < 5; i++) {
		add(r, SD_EXPERIMENT_PASSIVE_WAIT, 1, SD_ARM_PLAIN, i, &slow);
		add(r, SD_EXPERIMENT_PASSIVE_WAIT, 1, SD_ARM_CHANGED, i, &changed);
	}
}

static void cpu_time_that_sleeping_waits_save_was_spinning(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	passive(&r, SD_IDLE_NETWORK);
	verdict_is(&r, &a);
	EXPECT(&a, SPINNING, "confirmed");
	assert_ptr_equal(a.growth, &sd_cause_info[SD_CAUSE_SPINNING]);
	done(&r, &a);
}

static void spinning_that_hides_serial_code_names_it(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	passive(&r, SD_IDLE_SERIAL);
	verdict_is(&r, &a);
	EXPECT(&a, SERIAL_CODE, "likely");
	assert_int_equal(a.finding[0].cause, SD_CAUSE_SERIAL_CODE);
	assert_int_not_equal(
		finding_of(&a, SD_CAUSE_SPINNING)->verdict, SD_VERDICT_LIKELY); /* the same cores */
	done(&r, &a);
}

/* All that grows is spinning, at a barrier, as samples say. */
static void spins(struct sd_record *r)
{
	const unsigned work = make_call(r, 0, "work", NULL, 0, "app"),
		       barrier = make_call(r, 0, "GOMP_barrier", NULL, 0, "libgomp.so.1");

	for (size_t i = 0; i < r->n_run; i++) {
		const double user = r->run[i].metric[SD_METRIC_USER].value;

		if (r->run[i].kind != SD_RUN_BLOCK)
			continue;
		r->run[i].sampled.status = SD_STATUS_OK;
		make_use(&r->run[i], work, SD_ACTIVITY_USEFUL, fmin(4, user));
		if (user > 4.1)
			make_use(&r->run[i], barrier, SD_ACTIVITY_SPIN_BARRIER, user - 4);
	}
}

/* It was ended after many times its time: sleeping is no remedy for barriers that near. */
static void spinning_that_cannot_sleep_is_what_the_barriers_cost(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	spins(&r);
	verdict_is(&r, &a);
	EXPECT(&a, SPINNING, "likely");
	sd_analysis_free(&a);
	r.plan.experiment[SD_EXPERIMENT_PASSIVE_WAIT].unended_s = 50;
	verdict_is(&r, &a);
	EXPECT(&a, BARRIER_OVERHEAD, "likely");
	EXPECT(&a, SPINNING, "ruled-out"); /* they have all of it */
	assert_int_equal(a.finding[0].cause, SD_CAUSE_BARRIER_OVERHEAD);
	sd_analysis_free(&a);
	/* ended or done, once is enough */
	r.plan.experiment[SD_EXPERIMENT_PASSIVE_WAIT].unended_s = 0;
	pairs(&r, SD_EXPERIMENT_PASSIVE_WAIT, 1, 1, 10);
	verdict_is(&r, &a);
	EXPECT(&a, BARRIER_OVERHEAD, "likely");
	done(&r, &a);
	with_experiments(&r, &slow);
	spins(&r);
	/* one that takes a little longer may only wake up slowly */
	r.plan.experiment[SD_EXPERIMENT_PASSIVE_WAIT].unended_s = 2 * slow.wall;
	verdict_is(&r, &a);
	EXPECT(&a, SPINNING, "likely");
	done(&r, &a);
}

/* One of the two CPUs is a fifth slower. A quarter of the cores spins or waits for peers, which is
 * more than that explains; or just as much spins, and nothing else. */
static void of_spinning_beside_a_slower_cpu_the_rest_is_the_barriers(void **state)
{
	static const struct {
		struct sample at_two;
		int barriers;
	} row[] = {{{.wall = 2.8, .user = 5.2, .idle = {[SD_IDLE_IMBALANCE] = .4}}, 1},
		{{.wall = 2.6, .user = 5.2}, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;
		struct sd_analysis a;

		with_experiments(&r, &row[k].at_two);
		spins(&r);
		for (size_t i = 0; i < r.n_run; i++) {
			r.run[i].metric[SD_METRIC_WIDTH] = SD_OK(3.8);
			r.run[i].metric[SD_METRIC_WIDTH_LEAST] =
				SD_OK(r.run[i].point == 1 ? 3.8 * .8 : 3.8);
			r.run[i].metric[SD_METRIC_WIDTH_MOST] = SD_OK(3.8);
		}
		r.plan.experiment[SD_EXPERIMENT_PASSIVE_WAIT].unended_s = 50;
		verdict_is(&r, &a);
		/* as much may be the slower CPU's: none of it is surely lost to spinning */
		EXPECT(&a, SPINNING, "possible");
		assert_true(finding_of(&a, SD_CAUSE_SPINNING)->cores.low < .1);
		assert_int_equal(
			finding_of(&a, SD_CAUSE_BARRIER_OVERHEAD)->cores.status == SD_STATUS_OK,
			row[k].barriers);
		EXPECT(&a, BARRIER_OVERHEAD, row[k].barriers ? "possible" : "not-measurable");
		done(&r, &a);
	}
}

static void padding_that_helps_confirms_false_sharing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_PADDING, 1, 5, .7);
	verdict_is(&r, &a);
	EXPECT(&a, FALSE_SHARING, "confirmed");
	done(&r, &a);
	/* but it may be inside one allocation */
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_PADDING, 1, 5, 1);
	verdict_is(&r, &a);
	EXPECT(&a, FALSE_SHARING, "possible");
	assert_true(says(&finding_of(&a, SD_CAUSE_FALSE_SHARING)->evidence, "change nothing"));
	done(&r, &a);
	/* what costs much is no effect called none */
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_PADDING, 1, 5, 1.69);
	verdict_is(&r, &a);
	EXPECT(&a, FALSE_SHARING, "possible");
	assert_false(says(&finding_of(&a, SD_CAUSE_FALSE_SHARING)->evidence, "change nothing"));
	assert_true(says(
		&finding_of(&a, SD_CAUSE_FALSE_SHARING)->evidence, "takes 1.69 times as long"));
	done(&r, &a);
}

/* Padding changes malloc's own growth: other sizes, other bins. */
static void padding_that_helps_malloc_says_nothing_of_the_programs_data(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	unsigned work, malloc;

	(void)state;
	with_experiments(&r, &slow);
	work = make_call(&r, 0, "work", NULL, 0, "app");
	malloc = make_call(&r, make_call(&r, work, "malloc", NULL, 0, "libc.so.6"), "_int_malloc",
		NULL, 0, "libc.so.6");
	for (size_t i = 0; i < r.n_run; i++) {
		const double user = r.run[i].metric[SD_METRIC_USER].value;

		r.run[i].sampled.status = SD_STATUS_OK;
		make_use(&r.run[i], work, SD_ACTIVITY_USEFUL, fmin(4, user));
		if (user > 4.1)
			make_use(&r.run[i], malloc, SD_ACTIVITY_USEFUL, user - 4);
	}
	pairs(&r, SD_EXPERIMENT_PADDING, 1, 5, .7);
	verdict_is(&r, &a);
	EXPECT(&a, FALSE_SHARING, "ruled-out"); /* the other has all of it */
	EXPECT(&a, ALLOCATOR, "likely");
	assert_int_equal(a.finding[0].cause, SD_CAUSE_ALLOCATOR);
	done(&r, &a);
}

static void one_arena_that_makes_no_difference_rules_the_allocator_out(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_ONE_ARENA, 1, 5, 1);
	verdict_is(&r, &a);
	EXPECT(&a, ALLOCATOR, "ruled-out");
	done(&r, &a);
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_ONE_ARENA, 1, 5, 2);
	verdict_is(&r, &a);
	EXPECT(&a, ALLOCATOR, "possible");
	done(&r, &a);
}

static void another_allocator_counts_only_for_what_one_core_does_not_gain(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_ALLOCATOR, 1, 5, .7);
	pairs(&r, SD_EXPERIMENT_ALLOCATOR, 0, 5, .7);
	verdict_is(&r, &a);
	EXPECT(&a, ALLOCATOR, "ruled-out");
	done(&r, &a);
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_ALLOCATOR, 1, 5, .7);
	pairs(&r, SD_EXPERIMENT_ALLOCATOR, 0, 5, 1);
	verdict_is(&r, &a);
	EXPECT(&a, ALLOCATOR, "confirmed");
	done(&r, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_that_sleeping_waits_save_was_spinning),
		cmocka_unit_test(spinning_that_hides_serial_code_names_it),
		cmocka_unit_test(spinning_that_cannot_sleep_is_what_the_barriers_cost),
		cmocka_unit_test(of_spinning_beside_a_slower_cpu_the_rest_is_the_barriers),
		cmocka_unit_test(padding_that_helps_confirms_false_sharing),
		cmocka_unit_test(padding_that_helps_malloc_says_nothing_of_the_programs_data),
		cmocka_unit_test(one_arena_that_makes_no_difference_rules_the_allocator_out),
		cmocka_unit_test(another_allocator_counts_only_for_what_one_core_does_not_gain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
