/*
 * What experiments do to verdicts, and which is done next, on made-up records of one and two cores.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "base/configs.h"
#include "metrics/formula_tables.h"
#include "support/make_record.h"
#include "support/make_samples.h"
#include "experiments/next_experiment.h"
#include "causes/judge.h"
#include "experiments/experiment_results.h"
#include "advice/advice_texts.h"

static const unsigned counts[] = {1, 2};

/* Efficiency .625 at two cores, all of it growth of user time. */
static const struct sample one = {.wall = 4, .user = 4}, slow = {.wall = 4 * .8, .user = 8 * .8};
static const struct sample good = {.wall = 2, .user = 4};
#define EFFICIENCY .625

static void with_experiments(struct sd_record *r, const struct sample *at_two)
{
	record_make(r, counts, 2);
	record_samples(r, 0, &one, 10, .002, 1);
	record_samples(r, 1, at_two, 10, .002, 2);
	r->plan.experiment = calloc(SD_EXPERIMENT_COUNT, sizeof *r->plan.experiment);
	r->plan.n_experiment = SD_EXPERIMENT_COUNT;
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		r->plan.experiment[i] =
			(struct sd_plan_experiment){.experiment = (enum sd_experiment)i,
				.point = sd_experiment_info[i].at != SD_EXPERIMENT_AT_REFERENCE};
}

static struct sd_run *add(struct sd_record *r, enum sd_experiment e, size_t point, enum sd_arm arm,
	unsigned pair, const struct sample *s)
{
	struct sd_run *run = record_sample(r, point, s, 1 + .002 * ((pair * 7 + arm * 3) % 5 - 2.));

	run->kind = SD_RUN_EXPERIMENT;
	run->tried = calloc(1, sizeof *run->tried);
	*run->tried = (struct sd_experiment_run){.experiment = (size_t)e, .arm = arm, .pair = pair};
	return run;
}

/* Pairs at a point, in which the changed run takes `ratio` times the plain one's time. */
static void pairs(struct sd_record *r, enum sd_experiment e, size_t point, unsigned n, double ratio)
{
	const struct sample *plain = point ? &slow : &one;
	struct sample changed = *plain;

	changed.wall *= ratio;
	changed.user *= ratio;
	for (unsigned i = 0; i < n; i++) {
		add(r, e, point, SD_ARM_PLAIN, i, plain);
		add(r, e, point, SD_ARM_CHANGED, i, &changed);
	}
}

/* Two copies at once, each of which takes `ratio` times the time of one alone. */
static void copies(struct sd_record *r, unsigned n, double ratio)
{
	for (unsigned i = 0; i < n; i++) {
		struct sd_run *run;

		add(r, SD_EXPERIMENT_REPLICAS, 0, SD_ARM_PLAIN, i, &one);
		run = add(r, SD_EXPERIMENT_REPLICAS, 0, SD_ARM_CHANGED, i, &one);
		run->tried->copy = calloc(2, sizeof *run->tried->copy);
		run->tried->n_copy = 2;
		for (int k = 0; k < 2; k++)
			run->tried->copy[k] = (struct sd_copy){.cpu = (unsigned)k,
				.wall = SD_OK(4 * ratio * (1 + .002 * (i % 3)))};
	}
}

static void thief(struct sd_record *r, enum sd_experiment e, unsigned n, double ratio, double rate)
{
	pairs(r, e, 0, n, ratio);
	for (size_t i = 0; i < r->n_run; i++) {
		struct sd_experiment_run *t = r->run[i].tried;

		if (!t || t->experiment != (size_t)e || t->arm != SD_ARM_CHANGED)
			continue;
		t->side[SD_SIDE_THIEF_ALONE] = SD_OK(10e9);
		t->side[SD_SIDE_THIEF_RATE] = SD_OK(rate);
		t->side[SD_SIDE_THIEF_BYTES] = SD_OK(64e6);
	}
}

static void clock_is(struct sd_record *r, double clock)
{
	for (unsigned i = 0; i < 3; i++) {
		struct sd_run *run = add(r, SD_EXPERIMENT_ADD_LOOP, 1, SD_ARM_CHANGED, i, &one);

		run->metric[SD_METRIC_WALL] = SD_NOT(ABSENT);
		run->tried->side[SD_SIDE_CLOCK] = SD_OK(clock);
		run->tried->side[SD_SIDE_CLOCK_LOW] = SD_OK(clock - .002);
		run->tried->side[SD_SIDE_CLOCK_HIGH] = SD_OK(clock + .002);
	}
}

static int says(const struct sd_texts *t, const char *words)
{
	for (size_t i = 0; i < t->n; i++)
		if (strstr(t->text[i], words))
			return 1;
	return 0;
}

static void verdict_is(struct sd_record *r, struct sd_analysis *a)
{
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
	assert_true(fabs(stack_sum(&a->point[1]) - 2) < 1e-9);
}

#define EXPECT(a, cause, wanted) \
	assert_string_equal(sd_verdict_name[finding_of(a, SD_CAUSE_##cause)->verdict], wanted)

static void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

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

/* Where copies keep their pace, a function that takes twice the time on two cores is done
 * by both. */
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

/* Where copies keep their pace and nobody has seen the lines, what stands at atomic instructions
 * waits for one. */
static void growth_at_atomic_instructions_is_true_sharing_by_what_is_known(void **state)
{
	static const struct {
		double before, after; /* s at atomic instructions, of all user time */
		double copies;        /* times as long */
		int named;
	} row[] = {{.5, 2.5, 1, 1}, {.5, 1, 1, 0}, {2.5, 2.5, 1, 0}, {.5, 2.5, 1 / EFFICIENCY, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_finding *f;
		unsigned count;

		with_experiments(&r, &slow);
		count = make_call(&r, 0, "count", "/src/app.c", 7, "/bin/app");
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
		assert_int_equal(says(&f->evidence, "is at atomic instructions"), row[k].named);
		EXPECT(&a, FALSE_SHARING, "possible");
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
		EXPECT(&a, SPINNING, "not-measurable");
		assert_int_equal(
			finding_of(&a, SD_CAUSE_BARRIER_OVERHEAD)->cores.status == SD_STATUS_OK,
			row[k].barriers);
		EXPECT(&a, BARRIER_OVERHEAD, row[k].barriers ? "possible" : "not-measurable");
		done(&r, &a);
	}
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
	done(&r, &a);
}

/* Where the growth is malloc's own, padding changes that: other sizes, other bins. */
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

/* With the advice that scalediag has; to be freed before the next. */
static struct sd_advice_texts advice;

static void advised(struct sd_record *r, struct sd_analysis *a)
{
	struct sd_config c;

	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	sd_advice_texts_free(&advice);
	assert_int_equal(sd_advice_texts_add(&advice, c.name, c.text, c.size, NULL), 0);
	sd_config_free(&c);
	assert_int_equal(sd_analyse(r, NULL, &advice, a), 0);
}

static void what_prefetchers_fetch_for_nobody_is_evidence_and_advice(void **state)
{
	static const char words[] = "fetched that nobody reads";
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 1, 5, .8);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 0, 5, 1.2);
	advised(&r, &a);
	/* which of the three it is, it does not say */
	EXPECT(&a, MEMORY_BANDWIDTH, "possible");
	EXPECT(&a, FALSE_SHARING, "possible");
	assert_true(says(&finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->evidence, words));
	assert_true(says(&finding_of(&a, SD_CAUSE_LLC_CAPACITY)->evidence, words));
	assert_true(says(&finding_of(&a, SD_CAUSE_FALSE_SHARING)->evidence, words));
	assert_false(says(&finding_of(&a, SD_CAUSE_SPINNING)->evidence, words));
	done(&r, &a);
	/* where others say that it is bandwidth, it says what to do */
	with_experiments(&r, &slow);
	copies(&r, 5, 1.6);
	thief(&r, SD_EXPERIMENT_BANDWIDTH_THIEF, 5, 1.5, 9e9);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 1, 5, .8);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 0, 5, 1.2);
	advised(&r, &a);
	EXPECT(&a, MEMORY_BANDWIDTH, "likely");
	assert_true(says(&finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->advice,
		"the prefetchers fetch lines that nobody reads"));
	done(&r, &a);
	/* they are of use */
	with_experiments(&r, &slow);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 1, 5, 1.4);
	pairs(&r, SD_EXPERIMENT_PREFETCHERS, 0, 5, 1.8);
	advised(&r, &a);
	assert_false(says(&finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->evidence, words));
	assert_false(says(&finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->advice, "prefetchers fetch"));
	assert_true(says(&a.tested[SD_EXPERIMENT_PREFETCHERS].seen, "what they fetch is read"));
	done(&r, &a);
}

/* At two cores a third of the time is spent waiting for the disk. */
static const struct sample reads = {.wall = 3, .user = 4, .idle = {[SD_IDLE_DISK] = 2}};

static void cached(struct sd_record *r, double ratio, double plain, double changed)
{
	struct sample warm = reads;

	warm.wall *= ratio;
	warm.idle[SD_IDLE_DISK] = 2 * warm.wall - warm.user;
	for (unsigned i = 0; i < 5; i++) {
		struct sd_run *run = add(r, SD_EXPERIMENT_WARM_CACHE, 1, SD_ARM_PLAIN, i, &reads);

		run->tried->side[SD_SIDE_CACHED] = SD_OK(plain);
		run = add(r, SD_EXPERIMENT_WARM_CACHE, 1, SD_ARM_CHANGED, i, &warm);
		run->tried->side[SD_SIDE_CACHED] = SD_OK(changed);
	}
}

static void files_that_are_read_ahead_tell_reading_from_writing(void **state)
{
	const struct sd_finding *f;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &reads);
	cached(&r, .7, 0, 1);
	advised(&r, &a);
	EXPECT(&a, DISK, "confirmed");
	f = finding_of(&a, SD_CAUSE_DISK);
	assert_true(says(&f->advice, "waits to read"));
	assert_true(says(&a.tested[SD_EXPERIMENT_WARM_CACHE].seen, "100 % were in the page cache"));
	done(&r, &a);
	with_experiments(&r, &reads);
	cached(&r, 1, .1, 1);
	advised(&r, &a);
	f = finding_of(&a, SD_CAUSE_DISK);
	assert_true(f->verdict < SD_VERDICT_RULED_OUT); /* it does wait for the disk */
	assert_true(says(&f->evidence, "is not reading them"));
	assert_false(says(&f->advice, "waits to read"));
	done(&r, &a);
}

/* As of files that another machine serves: no block device is read, which speaks against
 * the disk. */
static void what_an_experiment_confirms_has_its_advice_whatever_spoke_against_it(void **state)
{
	size_t told[2];

	(void)state;
	for (int quiet = 0; quiet < 2; quiet++) {
		struct sd_record r;
		struct sd_analysis a;

		with_experiments(&r, &reads);
		cached(&r, .7, 0, 1);
		for (size_t i = 0; quiet && i < r.n_run; i++) {
			r.run[i].metric[SD_METRIC_BLOCK_READ] = SD_OK(0);
			r.run[i].metric[SD_METRIC_BLOCK_WRITTEN] = SD_OK(0);
			r.run[i].metric[SD_METRIC_MAJOR_FAULTS] = SD_OK(0);
		}
		advised(&r, &a);
		EXPECT(&a, DISK, "confirmed");
		assert_int_equal(
			says(&finding_of(&a, SD_CAUSE_DISK)->evidence, "no bytes to or from"),
			quiet);
		told[quiet] = finding_of(&a, SD_CAUSE_DISK)->advice.n;
		done(&r, &a);
	}
	assert_int_equal(told[1], told[0]);
}

static void what_was_cached_anyway_is_not_waited_for(void **state)
{
	const struct sd_finding *f;
	struct sd_record r;
	struct sd_analysis a;
	struct sd_run *run;

	(void)state;
	with_experiments(&r, &reads);
	run = add(&r, SD_EXPERIMENT_WARM_CACHE, 1, SD_ARM_PLAIN, 0, &reads);
	run->tried->side[SD_SIDE_CACHED] = SD_OK(1);
	r.plan.experiment[SD_EXPERIMENT_WARM_CACHE].skipped = strdup("cached");
	advised(&r, &a);
	f = finding_of(&a, SD_CAUSE_DISK);
	assert_true(says(&f->evidence, "was in the page cache before it started"));
	assert_true(says(&f->advice, "so it waits to write"));
	done(&r, &a);
	/* not measured is not "all" and not "nothing" */
	with_experiments(&r, &reads);
	run = add(&r, SD_EXPERIMENT_WARM_CACHE, 1, SD_ARM_PLAIN, 0, &reads);
	run->tried->side[SD_SIDE_CACHED] = SD_NOT(DENIED);
	advised(&r, &a);
	f = finding_of(&a, SD_CAUSE_DISK);
	assert_false(says(&f->evidence, "page cache"));
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

/* ---- the choice ------------------------------------------------------------------------------ */

static int next_of(struct sd_record *r)
{
	struct sd_analysis a;
	int next;

	assert_int_equal(sd_analyse(r, NULL, NULL, &a), 0);
	next = a.next < a.n_tested ? (int)a.next : -1;
	sd_analysis_free(&a);
	return next;
}

static void the_first_experiment_is_copies(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_REPLICAS);
	copies(&r, 2, 1);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_REPLICAS);
	sd_record_free(&r);
}

/* Pairs that say neither this nor that. */
static void what_was_begun_gets_its_least_pairs(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		if (i != SD_EXPERIMENT_PADDING && i != SD_EXPERIMENT_HUGE_PAGES)
			r.plan.experiment[i].skipped = strdup("not here");
	for (unsigned i = 0; i < SD_EXPERIMENT_RESULTS_LEAST; i++) {
		struct sample s = slow;

		assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
		s.wall *= i % 2 ? 1.3 : .6;
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_PLAIN, i, &slow);
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_CHANGED, i, &s);
	}
	assert_int_equal(next_of(&r), SD_EXPERIMENT_HUGE_PAGES);
	pairs(&r, SD_EXPERIMENT_HUGE_PAGES, 1, SD_EXPERIMENT_RESULTS_LEAST, 1);
	pairs(&r, SD_EXPERIMENT_HUGE_PAGES, 0, SD_EXPERIMENT_RESULTS_LEAST, 1);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	sd_record_free(&r);
}

static void what_was_not_begun_says_why(void **state)
{
	const struct sd_tested *t;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	r.complete = 0;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_null(a.tested[SD_EXPERIMENT_PADDING].skipped);
	sd_analysis_free(&a);
	r.complete = 1;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	t = a.tested;
	assert_null(t[SD_EXPERIMENT_REPLICAS].skipped);
	assert_non_null(strstr(t[SD_EXPERIMENT_PADDING].skipped, "--experiments padding"));
	assert_non_null(strstr(t[SD_EXPERIMENT_BANDWIDTH_THIEF].skipped, "tells nothing"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void hardware_that_copies_ruled_out_is_not_looked_at(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PASSIVE_WAIT);
	r.plan.experiment[SD_EXPERIMENT_PASSIVE_WAIT].skipped = strdup("no OpenMP");
	r.plan.experiment[SD_EXPERIMENT_INTERLEAVE].skipped = strdup("one node");
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	sd_record_free(&r);
}

static void what_scales_needs_no_experiment_unless_it_was_asked_for(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &good);
	assert_int_equal(next_of(&r), -1);
	r.plan.experiment[SD_EXPERIMENT_PADDING].asked = 1;
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	pairs(&r, SD_EXPERIMENT_PADDING, 1, 5, 1);
	assert_int_equal(next_of(&r), -1);
	sd_record_free(&r);
}

/* Once it is hardware that the cores share, both thieves say which. */
static void hardware_that_copies_found_is_looked_at(void **state)
{
	int seen[SD_EXPERIMENT_COUNT] = {0};
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1 / EFFICIENCY);
	clock_is(&r, 1);
	r.plan.experiment[SD_EXPERIMENT_PASSIVE_WAIT].skipped = strdup("no OpenMP");
	r.plan.experiment[SD_EXPERIMENT_INTERLEAVE].skipped = strdup("one node");
	for (unsigned i = 0; i < 2 * SD_EXPERIMENT_RESULTS_LEAST; i++) {
		const int next = next_of(&r);
		struct sample s = one;

		s.wall *= i % 2 ? 3 : .8; /* neither this nor that */
		seen[next]++;
		add(&r, (enum sd_experiment)next, 0, SD_ARM_PLAIN, i, &one);
		add(&r, (enum sd_experiment)next, 0, SD_ARM_CHANGED, i, &s);
	}
	assert_int_equal(seen[SD_EXPERIMENT_BANDWIDTH_THIEF], SD_EXPERIMENT_RESULTS_LEAST);
	assert_int_equal(seen[SD_EXPERIMENT_CACHE_THIEF], SD_EXPERIMENT_RESULTS_LEAST);
	sd_record_free(&r);
}

static void a_program_of_few_runs_has_time_for_experiments(void **state)
{
	static const struct {
		double each;
		int next;
	} row[] = {{1.5, SD_EXPERIMENT_PASSIVE_WAIT}, {2.1, -1}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;

		with_experiments(&r, &slow);
		r.plan.experiment[SD_EXPERIMENT_SOFTWARE_PMU].skipped = strdup("no emulator");
		copies(&r, 5, 1);
		for (size_t i = 0; i < r.n_run; i++) {
			struct sd_run *const run = &r.run[i];

			run->metric[SD_METRIC_WALL].value *= run->tried ? row[k].each / 4 : .01;
			run->metric[SD_METRIC_USER].value *= run->tried ? row[k].each / 4 : .01;
			for (size_t c = 0; run->tried && c < run->tried->n_copy; c++)
				run->tried->copy[c].wall.value *= row[k].each / 4;
		}
		assert_int_equal(next_of(&r), row[k].next);
		sd_record_free(&r);
	}
}

/* Threads that wait for a lock: thread states say how long, and no experiment says more. */
static void what_is_decided_needs_no_experiment(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	r.complete = 1;
	for (size_t i = 0; i < r.n_run; i++) {
		struct sd_run *const run = &r.run[i];

		if (run->point == 0)
			continue;
		run->metric[SD_METRIC_USER] = SD_OK(one.user);
		run->idle[SD_IDLE_LOCK] = SD_OK(2 * slow.wall - one.user);
		run->metric[SD_METRIC_POLL_CPU] = SD_OK(0);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict <= SD_VERDICT_LIKELY);
	assert_true(a.is_decided);
	assert_int_equal(a.next, a.n_tested);
	for (size_t i = 0; i < a.n_tested; i++)
		assert_non_null(a.tested[i].skipped);
	done(&r, &a);
}

static void auto_ends_when_its_time_is_spent(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	r.plan.experiment[SD_EXPERIMENT_SOFTWARE_PMU].skipped = strdup("no emulator");
	for (size_t i = 0; i < r.n_run; i++)
		if (r.run[i].kind == SD_RUN_EXPERIMENT)
			r.run[i].metric[SD_METRIC_WALL] = SD_OK(100);
	assert_int_equal(next_of(&r), -1);
	r.plan.experiment[SD_EXPERIMENT_PADDING].asked = 1;
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	sd_record_free(&r);
}

/* The whole measurement took `s` until now, without a pause. */
static void spent(struct sd_record *r, double s)
{
	for (size_t i = 0; i < r->n_run; i++) {
		r->run[i].start = 1e9 + s * (double)i / (double)(r->n_run - 1);
	}
}

static void of_a_short_program_the_last_of_the_minute_is_the_software_pmus(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].metric[SD_METRIC_WALL].value /= 100;
	spent(&r, 20);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_REPLICAS);
	spent(&r, 30);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_SOFTWARE_PMU);
	r.calibration.made = 1e9; /* nothing is to be kept for that */
	assert_int_equal(next_of(&r), SD_EXPERIMENT_REPLICAS);
	r.calibration.made = 0;
	spent(&r, 38);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_SOFTWARE_PMU);
	r.plan.experiment[SD_EXPERIMENT_SOFTWARE_PMU].skipped = strdup("no emulator");
	assert_int_equal(next_of(&r), SD_EXPERIMENT_REPLICAS);
	spent(&r, 55);
	assert_int_equal(next_of(&r), -1);
	r.plan.experiment[SD_EXPERIMENT_PADDING].asked = 1;
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	sd_record_free(&r);
}

/* One emulated run at both points instead of pairs, with an allowance of its own. */
static void the_software_pmu_runs_once_when_nothing_else_is_left(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	for (int i = 0; i < SD_EXPERIMENT_SOFTWARE_PMU; i++)
		if (i != SD_EXPERIMENT_REPLICAS)
			r.plan.experiment[i].skipped = strdup("not here");
	for (size_t i = 0; i < r.n_run; i++)
		if (r.run[i].kind == SD_RUN_EXPERIMENT)
			r.run[i].metric[SD_METRIC_WALL] = SD_OK(100);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_SOFTWARE_PMU);
	for (size_t p = 0; p < 2; p++)
		record_sample(&r, p, &one, 1)->kind = SD_RUN_SIMULATED;
	assert_int_equal(next_of(&r), -1);
	sd_record_free(&r);
}

static void pairs_go_on_until_they_say_something_or_are_ten(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	for (unsigned i = 0; i < SD_EXPERIMENT_PAIRS_MOST; i++) {
		struct sample s = slow;

		for (int k = 0; k < SD_EXPERIMENT_COUNT; k++)
			if (k != SD_EXPERIMENT_PADDING && !r.plan.experiment[k].skipped)
				r.plan.experiment[k].skipped = strdup("not here");
		r.plan.experiment[SD_EXPERIMENT_PADDING].asked = 1;
		assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
		s.wall *= i % 2 ? 1.3 : .6;
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_PLAIN, i, &slow);
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_CHANGED, i, &s);
	}
	assert_int_equal(next_of(&r), -1);
	sd_record_free(&r);
}

static void every_experiment_predicts_something_and_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++) {
		enum sd_experiment e;

		assert_non_null(sd_experiment_prediction[i][0].says);
		assert_int_equal(sd_experiment_parse(sd_experiment_info[i].name, &e), 0);
		assert_int_equal(e, i);
	}
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
		cmocka_unit_test(two_pairs_say_nothing),
		cmocka_unit_test(copies_that_slow_down_name_no_cause_alone),
		cmocka_unit_test(waits_of_threads_that_are_slow_by_turns_are_for_shared_hardware),
		cmocka_unit_test(a_thief_that_slows_the_program_tells_bandwidth_from_capacity),
		cmocka_unit_test(a_thief_whose_pairs_scatter_does_not_excuse_the_other),
		cmocka_unit_test(pairs_in_a_state_that_no_plain_run_saw_say_nothing),
		cmocka_unit_test(a_confirmed_cause_takes_the_growth_and_leaves_nothing_to_others),
		cmocka_unit_test(what_is_undecided_is_what_a_confirmed_cause_leaves),
		cmocka_unit_test(a_thief_that_got_nothing_says_nothing),
		cmocka_unit_test(the_clock_is_ruled_out_or_likely_by_additions),
		cmocka_unit_test(cpu_time_that_sleeping_waits_save_was_spinning),
		cmocka_unit_test(spinning_that_hides_serial_code_names_it),
		cmocka_unit_test(spinning_that_cannot_sleep_is_what_the_barriers_cost),
		cmocka_unit_test(of_spinning_beside_a_slower_cpu_the_rest_is_the_barriers),
		cmocka_unit_test(pairs_of_the_other_state_say_what_software_does),
		cmocka_unit_test(padding_that_helps_confirms_false_sharing),
		cmocka_unit_test(padding_that_helps_malloc_says_nothing_of_the_programs_data),
		cmocka_unit_test(one_arena_that_makes_no_difference_rules_the_allocator_out),
		cmocka_unit_test(another_allocator_counts_only_for_what_one_core_does_not_gain),
		cmocka_unit_test(what_prefetchers_fetch_for_nobody_is_evidence_and_advice),
		cmocka_unit_test(files_that_are_read_ahead_tell_reading_from_writing),
		cmocka_unit_test(
			what_an_experiment_confirms_has_its_advice_whatever_spoke_against_it),
		cmocka_unit_test(what_was_cached_anyway_is_not_waited_for),
		cmocka_unit_test(noise_settles_nothing),
		cmocka_unit_test(copies_that_others_kept_apart_rule_nothing_out),
		cmocka_unit_test(a_program_that_scales_gets_no_cause_whatever_experiments_do),
		cmocka_unit_test(the_first_experiment_is_copies),
		cmocka_unit_test(what_was_begun_gets_its_least_pairs),
		cmocka_unit_test(what_was_not_begun_says_why),
		cmocka_unit_test(hardware_that_copies_ruled_out_is_not_looked_at),
		cmocka_unit_test(what_scales_needs_no_experiment_unless_it_was_asked_for),
		cmocka_unit_test(hardware_that_copies_found_is_looked_at),
		cmocka_unit_test(a_program_of_few_runs_has_time_for_experiments),
		cmocka_unit_test(what_is_decided_needs_no_experiment),
		cmocka_unit_test(auto_ends_when_its_time_is_spent),
		cmocka_unit_test(of_a_short_program_the_last_of_the_minute_is_the_software_pmus),
		cmocka_unit_test(the_software_pmu_runs_once_when_nothing_else_is_left),
		cmocka_unit_test(pairs_go_on_until_they_say_something_or_are_ten),
		cmocka_unit_test(every_experiment_predicts_something_and_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
