/*
 * Idle cores and waits decide about locks, serial code and barriers.
 */
#include <stdlib.h>

#include "diagnose/analyse/causes/two_points.h"

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
 * one thread runs alone meanwhile. Where others keep them from their CPUs joins take longer, and
 * the CPU time for each, 170 us or 250, says that the threads do not. */
static void threads_that_live_no_longer_than_their_start_are_overhead(void **state)
{
	static const struct sample one = {.wall = 1, .user = 1};
	static const struct sample many = {.wall = 1, .user = 1, .idle = {[SD_IDLE_SERIAL] = 1}};
	static const struct {
		double waits, seconds;
		int serial;
	} row[] = {{12000, .5, 0}, {100, .5, 1}, {6000, .9, 0}, {4000, .9, 1}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		const int serial = row[k].serial;
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 2, &one, &many, 8, .002, 7);
		for (size_t i = 0; i < r.n_run; i++) {
			if (r.run[i].point == 0)
				continue;
			make_use(&r.run[i], 0, SD_ACTIVITY_USEFUL, 1);
			make_use(&r.run[i], 0, SD_ACTIVITY_JOIN, row[k].seconds)->count =
				row[k].waits;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict,
			serial ? SD_VERDICT_LIKELY : SD_VERDICT_RULED_OUT);
		assert_int_equal(a.finding[0].cause,
			serial ? SD_CAUSE_SERIAL_CODE : SD_CAUSE_BARRIER_OVERHEAD);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Threads that are woken, or made, all the time wait for a CPU for no longer than a wake-up takes,
 * or for the slices of others. Where each job has a thread of its own the kernel's work for them is
 * as much at one core. */
static void short_waits_for_a_cpu_are_a_part_of_waking(void **state)
{
	static const struct sample one[] = {
		{.wall = 4, .user = 4}, {.wall = 5, .user = 4, .system = 1}};
	static const struct sample many = {
		.wall = 3.2, .user = 4, .system = 1, .idle = {[SD_IDLE_RUNNABLE] = 1.4}};
	static const struct {
		int made;
		double wait, cores; /* s; those that are surely its, s of 3.2 */
	} row[] = {{0, 40e-6, 2.4}, {0, 4e-3, 1}, {1, 40e-6, 1.4}, {1, 4e-3, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		const struct sd_finding *f;
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 2, &one[row[k].made], &many, 8, .002, 7);
		for (size_t i = 0; i < r.n_run; i++) {
			struct sd_run *const run = &r.run[i];

			make_use(run, 0, SD_ACTIVITY_USEFUL, 4);
			run->metric[SD_METRIC_FOREIGN] = run->metric[SD_METRIC_POLL_CPU] = SD_OK(0);
			if (run->point || row[k].made)
				make_use(run, 0, SD_ACTIVITY_KERNEL_THREADS, 1);
			if (run->point)
				make_use(run, 0, SD_ACTIVITY_RUNNABLE, 1.4)->count =
					1.4 / row[k].wait;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_BARRIER_OVERHEAD);
		assert_int_equal(f->verdict == SD_VERDICT_LIKELY, row[k].cores > 0);
		if (row[k].cores > 0)
			assert_near(f->cores.low, row[k].cores / 3.2, .05);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
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
	assert_true(warned(&a, "could not be attributed"));
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
	static const struct sample one = {.wall = .06, .user = .06};
	static const struct sample many = {
		.wall = .06, .user = .06, .idle = {[SD_IDLE_LOCK] = .06}};

	(void)state;
	for (int quick = 0; quick < 2; quick++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 2, &one, &many, 8, .002, 7);
		for (size_t j = 0; j < r.n_run; j++)
			r.run[j].metric[SD_METRIC_POLL_PERIOD] = SD_OK(quick ? .025 : .005);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(warned(&a, "runs are too short (60 ms"), quick);
		assert_int_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict,
			quick ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* A thread that is in the kernel for its memory while the others wait for it is one cause with
 * them, where that grows; what it does once, at every count, stays serial code. */
static void what_waits_for_the_kernel_follows_from_its_cause(void **state)
{
	const struct sample
		one = {.wall = 8, .user = 7, .system = .8},
		few = {.wall = 3.8, .user = 7, .system = .8, .idle = {[SD_IDLE_SERIAL] = 7}},
		many = {.wall = 4, .user = 7, .system = 2.4, .idle = {[SD_IDLE_SERIAL] = 6}};

	(void)state;
	for (int grows = 0; grows < 2; grows++) {
		const struct sd_finding *kernel, *serial;
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 4, &one, grows ? &many : &few, 6, .005, 3);
		for (size_t i = 0; i < r.n_run; i++) {
			struct sd_use *fault;

			make_use(&r.run[i], 0, SD_ACTIVITY_USEFUL, 7);
			fault = make_use(&r.run[i], 0, SD_ACTIVITY_KERNEL_FAULT,
				r.run[i].point && grows ? 2.4 : .8);
			if (r.run[i].point)
				fault->blame = fault->blame_serial = grows ? 6 : 7;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		kernel = finding_of(&a, SD_CAUSE_KERNEL_MEMORY);
		serial = finding_of(&a, SD_CAUSE_SERIAL_CODE);
		assert_true(a.finding[0].cause ==
			    (grows ? SD_CAUSE_KERNEL_MEMORY : SD_CAUSE_SERIAL_CODE));
		if (grows) {
			/* 1.6 s of 4 more in the kernel, and 6 that wait */
			assert_near(kernel->cores.value, 1.9, .1);
			assert_true(serial->verdict >= SD_VERDICT_POSSIBLE);
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/*
 * A machine of two speeds, of which neither was seen often enough at each count: runs at two cores
 * take 6.7 or 12 s. One thread alone runs in as much of each, or in more of the long ones.
 */
static void what_every_run_loses_decides_though_their_times_differ(void **state)
{
	static const struct {
		double serial[2]; /* cores that wait for it, of two, in near and far runs */
		enum sd_scales scales;
		enum sd_verdict verdict;
	} row[] = {
		{{.5, .5}, SD_SCALES_NO, SD_VERDICT_LIKELY},
		{{.5, .53}, SD_SCALES_NO, SD_VERDICT_LIKELY},
		{{.3, .7}, SD_SCALES_UNKNOWN, SD_VERDICT_POSSIBLE},
	};
	static const unsigned cores[] = {1, 2};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_analysis a;
		struct sd_record r;

		record_make(&r, cores, 2);
		for (int i = 0; i < 12; i++) {
			const int point = i >= 6, far = i % 6 >= (point ? 2 : 4);
			const double wall = point ? (far ? 12 : 6.7) : (far ? 14 : 10);
			const double serial = point ? row[k].serial[far] * wall : 0;
			const struct sample s = {.wall = wall,
				.user = wall * cores[point] - serial,
				.idle = {[SD_IDLE_SERIAL] = serial}};
			struct sd_run *const run =
				record_sample(&r, (size_t)point, &s, 1 + .001 * (i % 3));

			run->metric[SD_METRIC_LINE_BEFORE] = run->metric[SD_METRIC_LINE_AFTER] =
				SD_OK(far ? 250e-9 : 55e-9);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_true(warned(&a, "neither was seen often enough"));
		assert_int_equal(a.scales, row[k].scales);
		assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict, row[k].verdict);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_that_were_there_at_one_core_are_no_cause),
		cmocka_unit_test(waits_as_short_as_a_wake_up_are_the_barriers_own),
		cmocka_unit_test(threads_that_live_no_longer_than_their_start_are_overhead),
		cmocka_unit_test(short_waits_for_a_cpu_are_a_part_of_waking),
		cmocka_unit_test(idle_time_nobody_explains_may_be_any_wait),
		cmocka_unit_test(idle_time_nobody_explains_rules_no_wait_out),
		cmocka_unit_test(a_lock_that_lets_one_thread_run_says_so),
		cmocka_unit_test(serial_code_is_contradicted_when_no_thread_ever_ran_alone),
		cmocka_unit_test(a_run_of_a_few_polls_is_hardly_seen),
		cmocka_unit_test(what_waits_for_the_kernel_follows_from_its_cause),
		cmocka_unit_test(what_every_run_loses_decides_though_their_times_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
