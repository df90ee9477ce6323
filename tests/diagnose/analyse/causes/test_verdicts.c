/*
 * Synthetic programs of known behaviour: what is said about them, and above all what is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_samples.h"
#include "support/near.h"

/* A program at 1 and at n cores. */
static void two_points(struct sd_record *r, unsigned n, const struct sample *one,
	const struct sample *many, size_t runs, double cv, uint64_t seed)
{
	const unsigned cores[] = {1, n};

	record_make(r, cores, 2);
	r->plan.seed = seed;
	record_samples(r, 0, one, runs, cv, seed);
	record_samples(r, 1, many, runs, cv, seed);
}

static size_t named(const struct sd_analysis *a)
{
	size_t n = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		n += a->finding[i].verdict <= SD_VERDICT_POSSIBLE;
	return n;
}

static int warned(const struct sd_analysis *a, const char *text)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (strstr(a->warnings.text[i], text))
			return 1;
	return 0;
}

static int has_evidence(const struct sd_finding *f, const char *text)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], text))
			return 1;
	return 0;
}

static void no_cause_is_named_for_a_program_that_scales(void **state)
{
	static const double noise[] = {.002, .01, .03, .08};
	static const unsigned cores[] = {2, 8, 64};

	(void)state;
	for (uint64_t seed = 0; seed < 240; seed++) {
		unsigned n = cores[seed % 3];
		/* 10 s of work, and on n cores 0.2 % of the capacity idle in many ways */
		const double idle = .002 * 10 / SD_IDLE_COUNT;
		struct sample one = {.wall = 10, .user = 9.9, .system = .1};
		struct sample many = {.wall = (10 + .02) / n, .user = 9.9, .system = .1};
		struct sd_analysis a;
		struct sd_record r;

		for (int k = 0; k < SD_IDLE_COUNT; k++)
			many.idle[k] = idle;
		two_points(&r, n, &one, &many, 5 + seed % 7, noise[seed % 4], seed);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_not_equal(a.scales, SD_SCALES_NO);
		assert_int_equal(named(&a), 0);
		if (seed % 4 < 2)
			assert_int_equal(a.scales, SD_SCALES_YES);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Times that seldom agree to 5 % are no reason to doubt a program without a loss; an interval that
 * reaches below 90 % is, and so is a best estimate below 95 %. */
static void scaling_is_told_by_the_estimate_and_how_sure_it_is(void **state)
{
	const double wide = sd_statistics_t(5) / 1.96 * sqrt(6. / 5);
	unsigned count[3] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 120; seed++) {
		const double efficiency = .91 + .01 * (double)(seed % 10);
		struct sample one = {.wall = 4, .user = 4};
		struct sample many = {.wall = 1 / efficiency, .user = 4 / efficiency};
		struct sd_interval e;
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 4, &one, &many, 6, seed % 3 ? .03 : .005, seed);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		e = a.point[1].efficiency;
		/* six runs: their interval is that much too narrow (METHODS 4.2) */
		if (e.value >= .95 && e.value - wide * (e.value - e.low) >= .9)
			assert_int_equal(a.scales, SD_SCALES_YES);
		else if (e.high >= .95)
			assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
		if (a.scales == SD_SCALES_YES)
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

/* Programs that lose cores in one known way, at 4 cores; 8 s of work. */
static void a_measured_wait_is_likely_and_comes_first(void **state)
{
	static const struct {
		enum sd_cause cause;
		enum sd_component component;
		struct sample many;
		double cores;
	} row[] = {
		/* half serial: 4 s alone, then 1 s on four */
		{SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL,
			{.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}}, 2.4},
		{SD_CAUSE_LOAD_IMBALANCE, SD_COMPONENT_IMBALANCE,
			{.wall = 4, .user = 8, .idle = {[SD_IDLE_IMBALANCE] = 8}}, 2},
		{SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK,
			{.wall = 4, .user = 8, .idle = {[SD_IDLE_LOCK] = 8}}, 2},
		{SD_CAUSE_DISK, SD_COMPONENT_DISK,
			{.wall = 8, .user = 8, .idle = {[SD_IDLE_DISK] = 24}}, 3},
		{SD_CAUSE_KERNEL_MEMORY, SD_COMPONENT_SYSTEM, {.wall = 4, .user = 8, .system = 8},
			2},
		{SD_CAUSE_CPU_QUOTA, SD_COMPONENT_THROTTLED,
			{.wall = 4, .user = 8, .throttled = 8, .idle = {[SD_IDLE_THROTTLED] = 8}},
			2},
	};
	static const struct sample one = {.wall = 8, .user = 8};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;
		const struct sd_finding *f;

		two_points(&r, 4, &one, &row[i].many, 8, .01, i);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = &a.finding[0];
		assert_int_equal(f->cause, row[i].cause);
		assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
		assert_near(f->cores.value, row[i].cores, .03);
		assert_near(f->cores.value, a.point[1].stack[row[i].component].value, 1e-12);
		assert_near(f->worth.value, 4 / (4 - f->cores.value), 1e-9);
		assert_true(f->evidence.n > 0 && f->advice.n > 0 && f->next);
		assert_int_equal(finding_of(&a, SD_CAUSE_NOISE)->verdict, SD_VERDICT_RULED_OUT);
		assert_int_equal(
			finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->verdict, SD_VERDICT_RULED_OUT);
		/* nobody measured it, and nothing is left for it */
		assert_int_equal(finding_of(&a, SD_CAUSE_MPI)->verdict, SD_VERDICT_RULED_OUT);
		assert_int_equal(a.scales,
			row[i].cause == SD_CAUSE_CPU_QUOTA ? SD_SCALES_UNKNOWN : SD_SCALES_NO);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void two_causes_at_once_are_both_named_in_order(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5,
		.user = 8,
		.idle = {[SD_IDLE_LOCK] = 8, [SD_IDLE_SERIAL] = 3, [SD_IDLE_DISK] = 1}};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 3);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_LOCK_CONTENTION);
	assert_int_equal(a.finding[1].cause, SD_CAUSE_SERIAL_CODE);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	assert_int_equal(a.finding[1].verdict, SD_VERDICT_LIKELY);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void growth_of_user_time_is_undecided_between_its_causes(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 20};
	static const enum sd_cause possible[] = {SD_CAUSE_MEMORY_BANDWIDTH, SD_CAUSE_LLC_CAPACITY,
		SD_CAUSE_DTLB, SD_CAUSE_FALSE_SHARING, SD_CAUSE_TRUE_SHARING, SD_CAUSE_EXTRA_WORK,
		SD_CAUSE_SPINNING, SD_CAUSE_ALLOCATOR, SD_CAUSE_NUMA, SD_CAUSE_SMT,
		SD_CAUSE_FREQUENCY, SD_CAUSE_BARRIER_OVERHEAD};
	static const enum sd_cause out[] = {
		SD_CAUSE_DISK, SD_CAUSE_KERNEL_MEMORY, SD_CAUSE_CPU_QUOTA, SD_CAUSE_NOISE};
	/* threads that spin, or fight for a lock's line, do not idle */
	static const enum sd_cause hidden[] = {
		SD_CAUSE_SERIAL_CODE, SD_CAUSE_LOAD_IMBALANCE, SD_CAUSE_LOCK_CONTENTION};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 4);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	for (size_t i = 0; i < sizeof possible / sizeof *possible; i++) {
		const struct sd_finding *f = finding_of(&a, possible[i]);

		assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
		assert_int_equal(f->cores.status, SD_STATUS_ABSENT);
		assert_true(has_evidence(f, "undecided"));
		assert_non_null(f->next);
	}
	for (size_t i = 0; i < sizeof out / sizeof *out; i++)
		assert_int_equal(finding_of(&a, out[i])->verdict, SD_VERDICT_RULED_OUT);
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		assert_int_equal(finding_of(&a, hidden[i])->verdict, SD_VERDICT_NOT_MEASURABLE);
	assert_near(a.undecided.value, 12. / 5, .03);
	assert_int_equal(a.scales, SD_SCALES_NO);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void the_same_time_with_all_cores_busy_may_be_a_fixed_time(void **state)
{
	static const struct {
		struct sample one, many;
		enum sd_scaling scaling;
		int warned;
		double cv; /* 0: a timer's */
	} row[] = {
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 8}, SD_SCALING_STRONG, 1, 0},
		/* spinning for one lock takes the same time too, but not always */
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 8}, SD_SCALING_STRONG, 0, .01},
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 8}, SD_SCALING_WEAK, 0, 0},
		{{.wall = 2, .user = 2}, {.wall = 2.2, .user = 8.8}, SD_SCALING_STRONG, 0, 0},
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 6}, SD_SCALING_STRONG, 1, 0},
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 4}, SD_SCALING_STRONG, 0, 0},
		{{.wall = 2, .user = .01}, {.wall = 2, .user = .04}, SD_SCALING_STRONG, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(
			&r, 4, &row[i].one, &row[i].many, 8, row[i].cv > 0 ? row[i].cv : .001, 4);
		r.program.scaling = row[i].scaling;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(warned(&a, "--rate"), row[i].warned);
		if (row[i].warned) {
			assert_int_equal(named(&a), 0);
			assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void a_machine_without_numa_and_smt_rules_them_out(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 20};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 5);
	r.host = (struct sd_host){.allowed = 8, .cores = 4, .numa = 1, .granted = 8};
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_NUMA)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_SMT)->verdict, SD_VERDICT_RULED_OUT);
	sd_analysis_free(&a);
	r.program.placement = SD_PLACEMENT_SMT;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_SMT)->verdict, SD_VERDICT_POSSIBLE);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void waits_that_were_there_at_one_core_are_no_cause(void **state)
{
	/* Disk takes 30 % of every core at 1 and at 4 cores: slow, but it scales. */
	static const struct sample one = {.wall = 10, .user = 7, .idle = {[SD_IDLE_DISK] = 3}};
	static const struct sample many = {.wall = 2.5, .user = 7, .idle = {[SD_IDLE_DISK] = 3}};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .005, 6);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_YES);
	assert_int_equal(named(&a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_DISK)->verdict, SD_VERDICT_RULED_OUT);
	assert_near(a.point[1].stack[SD_COMPONENT_DISK].value, 1.2, .01);
	assert_true(warned(&a, "the program itself waits"));
	sd_analysis_free(&a);
	sd_record_free(&r);
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

/* Two threads of equal work that wait for each other for 10 us at a time, or for 10 ms. */
static void waits_as_short_as_a_wake_up_are_the_barriers_own(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 6, .user = 8, .idle = {[SD_IDLE_IMBALANCE] = 4}};
	static const double wait[] = {10e-6, 10e-3};

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 2, &one, &many, 8, .002, 7);
		for (size_t i = 0; i < r.n_run; i++) {
			struct sd_run *const run = &r.run[i];

			if (run->point == 0)
				continue;
			/* whatever else its threads wait for is another cause's */
			run->metric[SD_METRIC_VOLUNTARY_SWITCHES] = SD_OK(1e6);
			make_use(run, 0, SD_ACTIVITY_USEFUL, 8);
			make_use(run, 0, SD_ACTIVITY_BARRIER, 4)->count = 4 / wait[k];
			make_use(run, 0, SD_ACTIVITY_MUTEX, .1)->count = 1e6;
			free(run->thread);
			run->thread = calloc(2, sizeof *run->thread);
			run->n_thread = run->n_thread_seen = 2;
			for (int t = 0; t < 2; t++)
				run->thread[t].cpu = SD_OK(4);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(finding_of(&a, SD_CAUSE_BARRIER_OVERHEAD)->verdict,
			k ? SD_VERDICT_RULED_OUT : SD_VERDICT_LIKELY);
		assert_int_equal(finding_of(&a, SD_CAUSE_LOAD_IMBALANCE)->verdict,
			k ? SD_VERDICT_POSSIBLE : SD_VERDICT_RULED_OUT);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Thousands of threads that live for 40 us, or a hundred that live for 2 ms: one core idles because
 * one thread runs alone meanwhile. */
static void threads_that_live_no_longer_than_their_start_are_overhead(void **state)
{
	static const struct sample one = {.wall = 1, .user = 1};
	static const struct sample many = {.wall = 1, .user = 1, .idle = {[SD_IDLE_SERIAL] = 1}};
	static const double waits[] = {12000, 100};

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 2, &one, &many, 8, .002, 7);
		for (size_t i = 0; i < r.n_run; i++) {
			if (r.run[i].point == 0)
				continue;
			make_use(&r.run[i], 0, SD_ACTIVITY_USEFUL, 1);
			make_use(&r.run[i], 0, SD_ACTIVITY_JOIN, .5)->count = waits[k];
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict,
			k ? SD_VERDICT_LIKELY : SD_VERDICT_RULED_OUT);
		assert_int_equal(
			a.finding[0].cause, k ? SD_CAUSE_SERIAL_CODE : SD_CAUSE_BARRIER_OVERHEAD);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* System time is the cause's that the kernel was called for, as far as samples in it say. */
static void kernel_time_belongs_to_what_it_was_for(void **state)
{
	static const struct {
		enum sd_activity activity;
		enum sd_component component;
		enum sd_cause cause;
	} row[] = {
		{SD_ACTIVITY_KERNEL_LOCKING, SD_COMPONENT_LOCK, SD_CAUSE_LOCK_CONTENTION},
		{SD_ACTIVITY_KERNEL_THREADS, SD_COMPONENT_THREADS, SD_CAUSE_BARRIER_OVERHEAD},
		{SD_ACTIVITY_KERNEL_FAULT, SD_COMPONENT_SYSTEM, SD_CAUSE_KERNEL_MEMORY},
		{SD_ACTIVITY_KERNEL_FILE, SD_COMPONENT_SYSTEM, SD_CAUSE_KERNEL_MEMORY},
	};
	const struct sample one = {.wall = 8, .user = 8},
			    many = {.wall = 3, .user = 8, .system = 4};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++)
		for (int denied = 0; denied < 2; denied++) {
			enum sd_component component =
				denied ? SD_COMPONENT_SYSTEM : row[k].component;
			const struct sd_finding *f;
			struct sd_analysis a;
			struct sd_record r;

			two_points(&r, 4, &one, &many, 6, .005, 3);
			for (size_t i = 0; i < r.n_run; i++) {
				make_use(&r.run[i], 0, SD_ACTIVITY_USEFUL, 8);
				if (denied)
					r.run[i].sampled.kernel = SD_STATUS_DENIED;
				else if (r.run[i].point)
					make_use(&r.run[i], 0, row[k].activity, 3.9);
			}
			assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
			assert_near(a.point[1].stack[component].value, 4. / 3, .02);
			assert_near(stack_sum(&a.point[1]), 4, 1e-9);
			f = &a.finding[0];
			assert_int_equal(f->cause, denied ? SD_CAUSE_KERNEL_MEMORY : row[k].cause);
			if (!denied)
				assert_string_equal(sd_verdict_name[f->verdict],
					row[k].activity == SD_ACTIVITY_KERNEL_FILE ? "possible"
										   : "likely");
			/* no advice on memory where the samples speak against it */
			assert_int_equal(f->advice.n == 0,
				!denied && row[k].activity == SD_ACTIVITY_KERNEL_FILE);
			sd_analysis_free(&a);
			sd_record_free(&r);
		}
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
	assert_true(warned(&a, "3 of 8 runs at 4 cores are left out"));
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
	static const double efficiency[] = {.7, .4};

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

/* Of an efficiency of 40 %, a drift of 20 % is .32 of the four cores. */
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

static void idle_time_nobody_explains_may_be_any_wait(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {
		.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 8, [SD_IDLE_UNKNOWN] = 4}};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 10);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(warned(&a, "accounting is incomplete"));
	assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict, SD_VERDICT_LIKELY);
	assert_near(finding_of(&a, SD_CAUSE_SERIAL_CODE)->cores.low, 1.6, .02);
	assert_near(finding_of(&a, SD_CAUSE_SERIAL_CODE)->cores.high, 2.4, .15);
	assert_near(a.point[1].stack[SD_COMPONENT_UNACCOUNTED].value, .8, .01);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void idle_time_nobody_explains_rules_no_wait_out(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_UNKNOWN] = 12}};
	static const enum sd_cause wait[] = {SD_CAUSE_LOCK_CONTENTION, SD_CAUSE_SERIAL_CODE,
		SD_CAUSE_LOAD_IMBALANCE, SD_CAUSE_DISK};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 10);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	for (size_t i = 0; i < sizeof wait / sizeof *wait; i++)
		assert_int_equal(finding_of(&a, wait[i])->verdict, SD_VERDICT_NOT_MEASURABLE);
	assert_int_equal(finding_of(&a, SD_CAUSE_NOISE)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
	sd_analysis_free(&a);

	/* and where nothing tells how long threads were ready, that is no component */
	for (size_t i = 0; i < r.n_run; i++) {
		r.run[i].metric[SD_METRIC_RUN_DELAY] = SD_NOT(UNSUPPORTED);
		r.run[i].idle[SD_IDLE_RUNNABLE] = SD_NOT(UNSUPPORTED);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_NOISE)->verdict, SD_VERDICT_NOT_MEASURABLE);
	assert_int_not_equal(a.point[1].stack[SD_COMPONENT_RUN_QUEUE].status, SD_STATUS_OK);
	assert_int_equal(a.point[1].stack[SD_COMPONENT_SERIAL].status, SD_STATUS_OK);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void a_lock_that_lets_one_thread_run_says_so(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 8, .user = 8, .idle = {[SD_IDLE_LOCK] = 8}};
	static const double alone[] = {7, 1};

	(void)state;
	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 2, &one, &many, 8, .01, 11);
		for (size_t j = 0; j < r.n_run; j++) {
			double *k = calloc(3, sizeof *k);

			assert_non_null(k);
			k[1] = alone[i];
			k[2] = 8 - alone[i];
			r.run[j].concurrency = k;
			r.run[j].n_concurrency = 3;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.finding[0].cause, SD_CAUSE_LOCK_CONTENTION);
		assert_int_equal(has_evidence(&a.finding[0], "take turns"), i == 0);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void serial_code_is_contradicted_when_no_thread_ever_ran_alone(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}};
	static const struct {
		double alone;
		enum sd_verdict verdict;
	} row[] = {{4, SD_VERDICT_LIKELY}, {.1, SD_VERDICT_POSSIBLE}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 4, &one, &many, 8, .01, 11);
		for (size_t j = 0; j < r.n_run; j++) {
			double *k = calloc(5, sizeof *k);

			k[1] = row[i].alone;
			k[4] = 5 - row[i].alone;
			r.run[j].concurrency = k;
			r.run[j].n_concurrency = 5;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict, row[i].verdict);
		/* the three others idled beside it for .1 s at least, and 4 s at most */
		if (i == 1)
			assert_true(finding_of(&a, SD_CAUSE_SERIAL_CODE)->cores.low <= .3 / 5);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void a_run_of_a_few_polls_is_hardly_seen(void **state)
{
	static const struct sample one = {.wall = .012, .user = .012};
	static const struct sample many = {
		.wall = .012, .user = .012, .idle = {[SD_IDLE_LOCK] = .012}};

	(void)state;
	for (int quick = 0; quick < 2; quick++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 2, &one, &many, 8, .002, 7);
		for (size_t j = 0; j < r.n_run; j++)
			r.run[j].metric[SD_METRIC_POLL_PERIOD] = SD_OK(quick ? .005 : .001);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(warned(&a, "a run takes only 12 ms"), quick);
		assert_int_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict,
			quick ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void every_cause_is_there_once_whatever_was_measured(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}};

	(void)state;
	for (unsigned lack = 0; lack < 64; lack++) {
		struct sd_analysis a;
		struct sd_record r;
		unsigned seen = 0;

		two_points(&r, 4, &one, &many, 6, .01, 12);
		for (size_t j = 0; j < r.n_run; j++) {
			struct sd_value *m = r.run[j].metric;

			if (lack & 1)
				m[SD_METRIC_USER] = SD_NOT(DENIED);
			if (lack & 2)
				for (int k = 0; k < SD_IDLE_COUNT; k++)
					r.run[j].idle[k] = SD_NOT(UNSUPPORTED);
			if (lack & 4)
				m[SD_METRIC_STEAL] = SD_NOT(ABSENT);
			if (lack & 8)
				m[SD_METRIC_THROTTLED] = SD_NOT(UNSUPPORTED);
			if (lack & 16)
				m[SD_METRIC_TASK_CLOCK] = SD_OK(m[SD_METRIC_WALL].value);
			if ((lack & 32) && r.run[j].point == 0)
				m[SD_METRIC_SYSTEM] = SD_NOT(DENIED);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			seen |= 1u << a.finding[i].cause;
			assert_true(a.finding[i].evidence.n > 0);
			assert_true(i == 0 || a.finding[i - 1].verdict <= a.finding[i].verdict);
		}
		assert_int_equal(seen, (1u << SD_CAUSE_COUNT) - 1);
		assert_near(stack_sum(&a.point[1]), 4, 1e-9);
		if (lack & 2)
			assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict,
				SD_VERDICT_NOT_MEASURABLE);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void one_core_count_alone_decides_nothing(void **state)
{
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}};
	static const unsigned cores[] = {4};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 1);
	record_samples(&r, 0, &many, 8, .01, 13);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	assert_int_equal(named(&a), 0);
	assert_near(a.point[0].stack[SD_COMPONENT_SERIAL].value, 2.4, .01);
	assert_near(stack_sum(&a.point[0]), 4, 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void without_any_usable_run_there_is_no_data(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_analysis a;
	struct sd_record r;
	unsigned seen = 0;

	(void)state;
	record_make(&r, cores, 2);
	record_run(&r, 0, 1)->code = 3;
	record_run(&r, 1, 1)->end = SD_END_SIGNALLED;
	record_run(&r, 1, 1)->kind = SD_RUN_WARMUP;
	record_run(&r, 1, NAN);
	record_run(&r, 1, -1);
	record_run(&r, 7, 1); /* a point that the plan does not have */
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), -ENODATA);
	assert_true(warned(&a, "no usable run at 1 core"));
	assert_true(warned(&a, "no usable run at 2 cores"));
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		seen |= 1u << a.finding[i].cause;
		assert_int_equal(a.finding[i].verdict, SD_VERDICT_NOT_MEASURABLE);
	}
	assert_int_equal(seen, (1u << SD_CAUSE_COUNT) - 1);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_is_as_noisy_as_what_others_took),
		cmocka_unit_test(no_cause_is_named_for_a_program_that_scales),
		cmocka_unit_test(scaling_is_told_by_the_estimate_and_how_sure_it_is),
		cmocka_unit_test(no_cause_is_named_from_parts_that_only_vary),
		cmocka_unit_test(a_measured_wait_is_likely_and_comes_first),
		cmocka_unit_test(two_causes_at_once_are_both_named_in_order),
		cmocka_unit_test(growth_of_user_time_is_undecided_between_its_causes),
		cmocka_unit_test(the_same_time_with_all_cores_busy_may_be_a_fixed_time),
		cmocka_unit_test(a_machine_without_numa_and_smt_rules_them_out),
		cmocka_unit_test(waits_that_were_there_at_one_core_are_no_cause),
		cmocka_unit_test(what_others_took_widens_what_is_said_of_the_program),
		cmocka_unit_test(waits_as_short_as_a_wake_up_are_the_barriers_own),
		cmocka_unit_test(threads_that_live_no_longer_than_their_start_are_overhead),
		cmocka_unit_test(kernel_time_belongs_to_what_it_was_for),
		cmocka_unit_test(runs_that_others_disturbed_are_left_out_while_enough_remain),
		cmocka_unit_test(what_others_may_have_cost_is_no_loss_of_the_programs),
		cmocka_unit_test(nothing_is_ruled_out_by_threads_that_others_kept_apart),
		cmocka_unit_test(a_drift_widens_bounds_by_as_much),
		cmocka_unit_test(fewer_runs_have_wider_bounds),
		cmocka_unit_test(idle_time_nobody_explains_may_be_any_wait),
		cmocka_unit_test(idle_time_nobody_explains_rules_no_wait_out),
		cmocka_unit_test(a_lock_that_lets_one_thread_run_says_so),
		cmocka_unit_test(serial_code_is_contradicted_when_no_thread_ever_ran_alone),
		cmocka_unit_test(a_run_of_a_few_polls_is_hardly_seen),
		cmocka_unit_test(every_cause_is_there_once_whatever_was_measured),
		cmocka_unit_test(one_core_count_alone_decides_nothing),
		cmocka_unit_test(without_any_usable_run_there_is_no_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
