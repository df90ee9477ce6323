/*
 * The stack: parts of a run, exact sums, and the arithmetic of every kind of scaling.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accounting/account.h"
#include "support/analyse_record.h"
#include "support/near.h"

static double uniform(struct sd_random *r, double most)
{
	return (double)(sd_random_next(r) >> 11) * 0x1p-53 * most;
}

static double parts_sum(const struct sd_run_parts *p)
{
	double sum = 0;

	for (int k = 0; k < SD_PART_COUNT; k++)
		sum += p->part[k];
	return sum;
}

/* A run with anything in it, consistent or not; what is missing has any status. */
static void random_run(struct sd_run *run, struct sd_random *r)
{
	for (int m = SD_METRIC_WALL + 1; m < SD_METRIC_COUNT; m++) {
		double v = uniform(r, sd_random_below(r, 4) ? 3 : 1000);

		run->metric[m] = (struct sd_value){
			v, sd_random_below(r, 4)
				   ? SD_STATUS_OK
				   : (enum sd_status)sd_random_below(r, SD_STATUS_COUNT)};
		if (sd_random_below(r, 20) == 0)
			run->metric[m].value = sd_random_below(r, 2) ? NAN : -1;
	}
	for (int k = 0; k < SD_IDLE_COUNT; k++)
		run->idle[k] = (struct sd_value){
			uniform(r, 3), (enum sd_status)sd_random_below(r, SD_STATUS_COUNT)};
}

static void parts_of_any_run_sum_to_its_capacity(void **state)
{
	struct sd_random r;

	(void)state;
	sd_random_seed(&r, 11, 0);
	for (int i = 0; i < 5000; i++) {
		struct sd_run run = {.metric[SD_METRIC_WALL] = SD_OK(1e-3 + uniform(&r, 100))};
		struct sd_run_parts p;

		random_run(&run, &r);
		sd_run_parts_split(&run, 1 + (unsigned)sd_random_below(&r, 64), &p);
		assert_near(parts_sum(&p), 1, 1e-12 * (1 + fabs(p.part[SD_PART_UNKNOWN])));
		for (int k = 0; k < SD_PART_UNKNOWN; k++)
			assert_true(p.part[k] >= 0);
	}
}

/* Core-seconds of one run on 4 cores for 1 s, and what must become of them. */
static void idle_time_goes_where_the_kernel_and_the_poller_say(void **state)
{
	static const struct {
		const char *what;
		struct sample s;
		double part[SD_PART_COUNT];
	} row[] = {
		{"the classes add up",
			{.wall = 1, .user = 3, .idle = {[SD_IDLE_LOCK] = .5, [SD_IDLE_DISK] = .5}},
			{[SD_PART_USER] = .75, [SD_PART_LOCK] = .125, [SD_PART_DISK] = .125}},
		{"more seen than there was: scaled down",
			{.wall = 1, .user = 3, .idle = {[SD_IDLE_LOCK] = 1.5, [SD_IDLE_DISK] = .5}},
			{[SD_PART_USER] = .75, [SD_PART_LOCK] = .1875, [SD_PART_DISK] = .0625}},
		{"runnable threads that looked as if they ran",
			{.wall = 1, .user = 3, .run_delay = .6, .idle = {[SD_IDLE_LOCK] = .4}},
			{[SD_PART_USER] = .75, [SD_PART_LOCK] = .1, [SD_PART_RUN_QUEUE] = .15}},
		{"the quota before the run queue",
			{.wall = 1,
				.user = 3,
				.run_delay = 5,
				.throttled = .8,
				.idle = {[SD_IDLE_THROTTLED] = .1}},
			{[SD_PART_USER] = .75,
				[SD_PART_THROTTLED] = .2,
				[SD_PART_RUN_QUEUE] = .05}},
		{"stolen time is not idle time",
			{.wall = 1, .user = 2, .steal = 1, .idle = {[SD_IDLE_SERIAL] = 1}},
			{[SD_PART_USER] = .5, [SD_PART_STOLEN] = .25, [SD_PART_SERIAL] = .25}},
		{"nothing seen: not accounted for", {.wall = 1, .user = 3, .system = .4},
			{[SD_PART_USER] = .75, [SD_PART_SYSTEM] = .1, [SD_PART_UNKNOWN] = .15}},
		{"more CPU time than the cores have",
			{.wall = 1,
				.user = 4,
				.system = .4,
				.steal = 1,
				.idle = {[SD_IDLE_LOCK] = 1}},
			{[SD_PART_USER] = 1, [SD_PART_SYSTEM] = .1, [SD_PART_UNKNOWN] = -.1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const unsigned cores[] = {4};
		struct sd_record r;
		struct sd_run_parts p;

		print_message("%s\n", row[i].what);
		record_make(&r, cores, 1);
		record_sample(&r, 0, &row[i].s, 1);
		sd_run_parts_split(&r.run[0], 4, &p);
		for (int k = 0; k < SD_PART_COUNT; k++)
			assert_near(p.part[k], row[i].part[k], 1e-12);
		sd_record_free(&r);
	}
}

static void a_gap_within_the_pollers_error_is_shared_among_what_it_saw(void **state)
{
	const unsigned cores[] = {4};
	const struct sample s = {.wall = 10, .user = 36, .idle = {[SD_IDLE_LOCK] = 3.8}};
	struct sd_record r;
	struct sd_run_parts p;
	double error = 2 * sqrt(3.8 * .005 * 4);

	(void)state;
	record_make(&r, cores, 1);
	record_sample(&r, 0, &s, 1);
	sd_run_parts_split(&r.run[0], 4, &p);
	assert_near(p.part[SD_PART_LOCK] * 40, 4, 1e-12);
	r.run[0].metric[SD_METRIC_USER].value = 35;
	sd_run_parts_split(&r.run[0], 4, &p);
	assert_near(p.part[SD_PART_LOCK] * 40, 3.8 + error, 1e-12);
	assert_near(p.part[SD_PART_UNKNOWN] * 40, 1.2 - error, 1e-12);
	sd_record_free(&r);
}

static void idle_time_without_a_poller_is_not_accounted_for(void **state)
{
	struct sd_run run = {0};
	struct sd_run_parts p;

	(void)state;
	run.metric[SD_METRIC_WALL] = SD_OK(1);
	run.metric[SD_METRIC_USER] = SD_OK(1);
	run.metric[SD_METRIC_SYSTEM] = SD_OK(0);
	run.metric[SD_METRIC_RUN_DELAY] = SD_OK(1);
	assert_int_equal(sd_run_parts_split(&run, 2, &p), SD_RUN_PARTS_CPU | SD_RUN_PARTS_SPLIT);
	assert_near(p.part[SD_PART_UNKNOWN], .5, 1e-12);
}

static void children_nobody_waited_for_count(void **state)
{
	struct sd_run run = {0};
	struct sd_run_parts p;

	(void)state;
	run.metric[SD_METRIC_WALL] = SD_OK(2);
	run.metric[SD_METRIC_USER] = SD_OK(.9);
	run.metric[SD_METRIC_SYSTEM] = SD_OK(.1);
	run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(2);
	sd_run_parts_split(&run, 1, &p);
	assert_near(p.part[SD_PART_USER], .9, 1e-12);
	assert_near(p.part[SD_PART_SYSTEM], .1, 1e-12);
	run.metric[SD_METRIC_USER] = SD_NOT(DENIED);
	assert_int_equal(sd_run_parts_split(&run, 1, &p), SD_RUN_PARTS_CPU);
	assert_near(p.part[SD_PART_USER], 1, 1e-12);
}

/* Any record at all: whatever was or was not measured, every stack sums to its cores. */
static void every_stack_of_any_record_sums_to_its_cores(void **state)
{
	struct sd_random random;

	(void)state;
	sd_random_seed(&random, 5, 0);
	for (int i = 0; i < 150; i++) {
		unsigned cores[4] = {1 + (unsigned)sd_random_below(&random, 3)};
		size_t n = 1 + sd_random_below(&random, 4), runs;
		struct sd_analysis a;
		struct sd_record r;

		for (size_t k = 1; k < n; k++)
			cores[k] = cores[k - 1] + 1 + (unsigned)sd_random_below(&random, 100);
		record_make(&r, cores, n);
		r.program.scaling =
			sd_random_below(&random, 2) ? SD_SCALING_WEAK : SD_SCALING_STRONG;
		if (sd_random_below(&random, 3) == 0)
			r.program.rate = strdup("x");
		runs = n * (1 + sd_random_below(&random, 8));
		for (size_t k = 0; k < runs; k++)
			random_run(record_run(&r, sd_random_below(&random, n),
					   1e-3 + uniform(&random, 10)),
				&random);
		if (sd_analyse(&r, NULL, NULL, &a) == 0)
			for (size_t k = 0; k < a.n_point; k++)
				assert_near(stack_sum(&a.point[k]), a.point[k].n, 1e-9);
		for (size_t k = 0; k < a.n_point; k++)
			for (int j = 0; j < SD_COMPONENT_COUNT; j++) {
				const struct sd_interval *v = &a.point[k].stack[j];

				assert_true(v->status == SD_STATUS_ABSENT ||
					    (v->low <= v->value && v->value <= v->high));
			}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Whatever a record may say, the analysis ends and its numbers are numbers. */
static void a_record_full_of_nonsense_is_survived(void **state)
{
	static const double value[] = {
		0, -0., 1e-320, 1e-9, 1, 1e9, 1e18, 1e300, -1, INFINITY, -INFINITY, NAN};
	enum { VALUES = sizeof value / sizeof *value };
	struct sd_random random;

	(void)state;
	sd_random_seed(&random, 17, 0);
	for (int i = 0; i < 400; i++) {
		unsigned cores[3];
		size_t n = sd_random_below(&random, 4), runs = sd_random_below(&random, 20);
		struct sd_analysis a;
		struct sd_record r;

		for (size_t k = 0; k < n; k++)
			cores[k] = (unsigned)(sd_random_next(&random) >>
					      (32 + sd_random_below(&random, 32)));
		record_make(&r, cores, n);
		if (sd_random_below(&random, 3) == 0)
			r.program.rate = strdup("x");
		for (size_t k = 0; k < runs; k++) {
			struct sd_run *run = record_run(&r, sd_random_below(&random, 5), 1);

			run->kind = (enum sd_run_kind)sd_random_below(&random, 3);
			run->flags = (unsigned)sd_random_below(&random, 16);
			for (int m = 0; m < SD_METRIC_COUNT; m++)
				if (sd_random_below(&random, 3))
					run->metric[m] =
						SD_OK(value[sd_random_below(&random, VALUES)]);
			for (int m = 0; m < SD_IDLE_COUNT; m++)
				run->idle[m] = SD_OK(value[sd_random_below(&random, VALUES)]);
		}
		if (sd_analyse(&r, NULL, NULL, &a) == 0) {
			for (size_t k = 0; k < a.n_point; k++) {
				assert_true(isfinite(a.point[k].speedup.value));
				assert_true(a.point[k].speedup.high >= a.point[k].speedup.value);
				assert_true(isfinite(stack_sum(&a.point[k])));
			}
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void analyse_two(struct sd_record *r, struct sd_analysis *a, const unsigned *cores,
	const struct sample *one, const struct sample *many)
{
	record_make(r, cores, 2);
	record_samples(r, 0, one, 6, 0, 1);
	record_samples(r, 1, many, 6, 0, 1);
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
}

static void strong_scaling_measures_against_the_reference_count(void **state)
{
	/* From 2 to 4 cores: 8 core-seconds of work become 9, and a core waits 1 s of 2.5. */
	static const struct sample two = {.wall = 4, .user = 7, .system = 1};
	static const struct sample four = {
		.wall = 2.5, .user = 8, .system = 1, .idle = {[SD_IDLE_LOCK] = 1}};
	static const unsigned cores[] = {2, 4};
	struct sd_analysis a;
	struct sd_record r;
	const struct sd_point *p;

	(void)state;
	analyse_two(&r, &a, cores, &two, &four);
	p = &a.point[1];
	assert_near(p->speedup.value, 1.6, 1e-12);
	assert_near(p->efficiency.value, .8, 1e-12);
	assert_near(p->stack[SD_COMPONENT_USEFUL].value, 8 / 2.5, 1e-12);
	assert_near(p->stack[SD_COMPONENT_GROWTH].value, 1 / 2.5, 1e-12);
	assert_near(p->stack[SD_COMPONENT_SYSTEM].value, 0, 1e-12);
	assert_near(p->stack[SD_COMPONENT_LOCK].value, 1 / 2.5, 1e-12);
	assert_near(p->karp_flatt.value, (1 / 1.6 - .5) / .5, 1e-12);
	assert_near(a.lost.value, .8, 1e-12);
	assert_near(a.point[0].stack[SD_COMPONENT_USEFUL].value, 2, 1e-12);
	assert_near(p->parallelism.value, 9 / 2.5, 1e-12);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void weak_scaling_counts_work_that_grows_with_the_cores(void **state)
{
	static const struct sample one = {.wall = 4, .user = 4};
	static const struct sample four = {
		.wall = 5, .user = 18, .idle = {[SD_IDLE_IMBALANCE] = 2}};
	static const unsigned cores[] = {1, 4};
	struct sd_analysis a;
	struct sd_record r;
	const struct sd_point *p;

	(void)state;
	record_make(&r, cores, 2);
	r.program.scaling = SD_SCALING_WEAK;
	record_samples(&r, 0, &one, 6, 0, 1);
	record_samples(&r, 1, &four, 6, 0, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	p = &a.point[1];
	assert_near(p->speedup.value, 3.2, 1e-12);
	assert_near(p->efficiency.value, .8, 1e-12);
	assert_near(p->stack[SD_COMPONENT_USEFUL].value, 3.2, 1e-12);
	assert_near(p->stack[SD_COMPONENT_GROWTH].value, .4, 1e-12);
	assert_near(p->stack[SD_COMPONENT_IMBALANCE].value, .4, 1e-12);
	assert_near(p->karp_flatt.value, (4 - 3.2) / 3, 1e-12);
	assert_int_equal(a.fits.amdahl_serial.status, SD_STATUS_ABSENT);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A program that runs for 10 s whatever happens and prints how much it did. */
static void a_throughput_replaces_the_time(void **state)
{
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample four = {.wall = 10, .user = 30, .idle = {[SD_IDLE_LOCK] = 10}};
	static const unsigned cores[] = {1, 4};

	(void)state;
	for (int weak = 0; weak < 2; weak++) {
		struct sd_analysis a;
		struct sd_record r;
		const struct sd_point *p;

		record_make(&r, cores, 2);
		r.program.rate = strdup("([0-9]+) ops/s");
		r.program.scaling = weak ? SD_SCALING_WEAK : SD_SCALING_STRONG;
		for (int i = 0; i < 6; i++) {
			record_sample(&r, 0, &one, 1)->metric[SD_METRIC_RATE] = SD_OK(100);
			record_sample(&r, 1, &four, 1)->metric[SD_METRIC_RATE] = SD_OK(200);
			record_sample(&r, 1, &four, 1); /* printed nothing: not used */
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		p = &a.point[1];
		assert_int_equal(p->runs, 6);
		assert_near(p->wall.value, 10, 1e-12);
		assert_near(p->speedup.value, 2, 1e-12);
		/* 3 cores work, but do what 2 would have done. */
		assert_near(p->stack[SD_COMPONENT_USEFUL].value, 2, 1e-12);
		assert_near(p->stack[SD_COMPONENT_GROWTH].value, 1, 1e-12);
		assert_near(p->stack[SD_COMPONENT_LOCK].value, 1, 1e-12);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void more_threads_than_cpus_have_the_cpus_as_their_cores(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 4, .user = 8};
	static const unsigned cores[] = {1, 6};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	sd_cpulist_add(&r.plan.point[1].cpus, 0);
	sd_cpulist_add(&r.plan.point[1].cpus, 1);
	record_samples(&r, 0, &one, 6, 0, 1);
	record_samples(&r, 1, &many, 6, 0, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.point[1].cores, 6);
	assert_int_equal(a.point[1].n, 2);
	assert_near(a.point[1].efficiency.value, 1, 1e-12);
	assert_near(stack_sum(&a.point[1]), 2, 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void counters_split_the_growth_of_user_time(void **state)
{
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample two = {.wall = 10, .user = 20};
	static const unsigned cores[] = {1, 2};
	struct sd_analysis a;
	struct sd_record r;
	const struct sd_interval *s;

	(void)state;
	record_make(&r, cores, 2);
	for (int i = 0; i < 6; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);

		run->metric[SD_METRIC_INSTRUCTIONS] = SD_OK(10e9);
		run->metric[SD_METRIC_CYCLES] = SD_OK(20e9);
		run = record_sample(&r, 1, &two, 1);
		/* the same instructions, 1.6 times the cycles each, at 0.8 of the clock */
		run->metric[SD_METRIC_INSTRUCTIONS] = SD_OK(10e9);
		run->metric[SD_METRIC_CYCLES] = SD_OK(32e9);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	s = a.point[1].stack;
	assert_int_equal(s[SD_COMPONENT_GROWTH].status, SD_STATUS_ABSENT);
	assert_near(s[SD_COMPONENT_INSTRUCTIONS].value, 0, 1e-12);
	assert_near(s[SD_COMPONENT_CPI_OTHER].value, log(1.6) / log(2), 1e-9);
	assert_near(s[SD_COMPONENT_FREQUENCY].value, log(1.25) / log(2), 1e-9);
	assert_int_equal(finding_of(&a, SD_CAUSE_EXTRA_WORK)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->verdict, SD_VERDICT_POSSIBLE);
	assert_near(stack_sum(&a.point[1]), 2, 1e-9);
	sd_analysis_free(&a);
	/* A multiplexed count is not good enough for differences. */
	r.run[3].metric[SD_METRIC_CYCLES].status = SD_STATUS_MULTIPLEXED;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_near(a.point[1].stack[SD_COMPONENT_GROWTH].value, 1, 1e-9);
	assert_int_equal(a.point[1].stack[SD_COMPONENT_CPI_OTHER].status, SD_STATUS_ABSENT);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void lmdi_of_equal_sides_is_zero_and_of_any_sums_to_the_growth(void **state)
{
	struct sd_growth g = sd_account_growth(3, 1e9, 2e9, 3, 1e9, 2e9);
	struct sd_random r;

	(void)state;
	assert_near(g.instructions, 0, 0);
	assert_near(g.cpi, 0, 0);
	assert_near(g.frequency, 0, 0);
	sd_random_seed(&r, 3, 0);
	for (int i = 0; i < 2000; i++) {
		double from = 1e-6 + uniform(&r, 100), to = 1e-6 + uniform(&r, 100);

		if (i % 3 == 0)
			to = from * (1 + 1e-8 * (double)(i % 7 - 3));
		g = sd_account_growth(from, 1 + uniform(&r, 1e12), 1 + uniform(&r, 1e12), to,
			1 + uniform(&r, 1e12), 1 + uniform(&r, 1e12));
		assert_near(g.instructions + g.cpi + g.frequency, to - from, 1e-10);
	}
}

/* Not the bytes between its fields. */
static void assert_same_bits(struct sd_interval x, struct sd_interval y)
{
	const double of_x[] = {x.value, x.low, x.high}, of_y[] = {y.value, y.low, y.high};

	assert_memory_equal(of_x, of_y, sizeof of_x);
	assert_int_equal(x.status, y.status);
}

static void the_same_record_gives_the_same_bits(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}};
	static const unsigned cores[] = {1, 4};
	struct sd_analysis a, b;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	record_samples(&r, 0, &one, 9, .02, 1);
	record_samples(&r, 1, &many, 9, .02, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &b), 0);
	assert_int_equal(a.bootstraps, 2000);
	for (size_t i = 0; i < 2; i++)
		for (int k = 0; k < SD_COMPONENT_COUNT; k++)
			assert_same_bits(a.point[i].stack[k], b.point[i].stack[k]);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		assert_int_equal(a.finding[i].cause, b.finding[i].cause);
		assert_int_equal(a.finding[i].evidence.n, b.finding[i].evidence.n);
		for (size_t k = 0; k < a.finding[i].evidence.n; k++)
			assert_string_equal(
				a.finding[i].evidence.text[k], b.finding[i].evidence.text[k]);
	}
	sd_analysis_free(&b);
	r.plan.seed = 2;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &b), 0);
	assert_memory_not_equal(a.point[1].stack, b.point[1].stack, sizeof a.point[1].stack);
	sd_analysis_free(&a);
	sd_analysis_free(&b);
	sd_record_free(&r);
}

/* 95 % intervals hold the truth about that often: of 300 records, and 20 runs a point. */
static void intervals_hold_the_truth_about_as_often_as_they_say(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 4, .user = 8, .idle = {[SD_IDLE_SERIAL] = 8}};
	static const unsigned cores[] = {1, 4};
	int held = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct sd_analysis a;
		struct sd_record r;

		record_make(&r, cores, 2);
		r.plan.seed = seed;
		record_samples(&r, 0, &one, 20, .03, seed);
		record_samples(&r, 1, &many, 20, .03, seed + 1000);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		held += a.point[1].efficiency.low <= .5 && .5 <= a.point[1].efficiency.high;
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	/* 285 expected, standard deviation 3.8; percentile intervals of medians are a little wide
	 * or narrow. */
	assert_in_range(held, 270, 299);
}

/* `odd` of `runs` runs on two cores spend twice the time, in the kernel; of the user time there is
 * as much in all of them. */
static struct sd_interval growth_beside_long_runs(size_t runs, size_t odd, size_t *outlying)
{
	static const unsigned cores[] = {1, 2};
	struct sd_record r;
	struct sd_analysis a;
	struct sd_interval growth;

	record_make(&r, cores, 2);
	for (size_t i = 0; i < runs; i++) {
		const double scatter = 1 + .002 * (double)(i % 5), pages = i < odd ? 1.1 : 0;
		const struct sample one = {.wall = 1, .user = 1},
				    two = {.wall = .55 + pages / 2, .user = 1.1, .system = pages};

		record_sample(&r, 0, &one, scatter);
		record_sample(&r, 1, &two, scatter);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	growth = a.point[1].stack[SD_COMPONENT_GROWTH];
	assert_near(stack_sum(&a.point[1]), 2, 1e-9);
	*outlying = a.point[1].runs_outlying;
	assert_int_equal(a.point[0].runs_outlying, 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
	return growth;
}

/* The median time is that of the runs that no hypervisor kept waiting for pages, and so is what the
 * cores did in it. */
static void the_stack_is_that_of_the_runs_the_median_is_of(void **state)
{
	struct sd_interval growth;
	size_t outlying;

	(void)state;
	growth = growth_beside_long_runs(20, 3, &outlying);
	assert_int_equal(outlying, 3);
	assert_near(growth.value, .1 / .55, .004);
	assert_true(growth.low > .15 && growth.high < .21); /* nor do they widen it */
	/* where every third run is long that is how the program is */
	growth_beside_long_runs(21, 7, &outlying);
	assert_int_equal(outlying, 0);
	/* five runs have no outliers */
	growth_beside_long_runs(5, 1, &outlying);
	assert_int_equal(outlying, 0);
}

static void a_reference_without_runs_gives_way_to_the_next_count(void **state)
{
	static const struct sample s = {.wall = 8, .user = 16};
	static const unsigned cores[] = {1, 2, 4};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 3);
	record_samples(&r, 1, &s, 6, 0, 1);
	record_samples(&r, 2, &s, 6, 0, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_point, 2);
	assert_int_equal(a.point[0].cores, 2);
	assert_near(a.point[1].speedup.value, 1, 1e-12);
	assert_near(a.point[1].efficiency.value, .5, 1e-12);
	assert_non_null(strstr(a.warnings.text[0], "no usable run at 1 core"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_any_run_sum_to_its_capacity),
		cmocka_unit_test(idle_time_goes_where_the_kernel_and_the_poller_say),
		cmocka_unit_test(a_gap_within_the_pollers_error_is_shared_among_what_it_saw),
		cmocka_unit_test(idle_time_without_a_poller_is_not_accounted_for),
		cmocka_unit_test(children_nobody_waited_for_count),
		cmocka_unit_test(every_stack_of_any_record_sums_to_its_cores),
		cmocka_unit_test(a_record_full_of_nonsense_is_survived),
		cmocka_unit_test(strong_scaling_measures_against_the_reference_count),
		cmocka_unit_test(weak_scaling_counts_work_that_grows_with_the_cores),
		cmocka_unit_test(a_throughput_replaces_the_time),
		cmocka_unit_test(more_threads_than_cpus_have_the_cpus_as_their_cores),
		cmocka_unit_test(counters_split_the_growth_of_user_time),
		cmocka_unit_test(lmdi_of_equal_sides_is_zero_and_of_any_sums_to_the_growth),
		cmocka_unit_test(the_same_record_gives_the_same_bits),
		cmocka_unit_test(intervals_hold_the_truth_about_as_often_as_they_say),
		cmocka_unit_test(a_reference_without_runs_gives_way_to_the_next_count),
		cmocka_unit_test(the_stack_is_that_of_the_runs_the_median_is_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
