/*
 * Causes that no samples tell: the user's code, where only an ordinary user of a container
 * measures, the kernel's, and data that moves from core to core. Nothing is named that may be
 * another cause.
 */
#include "diagnose/analyse/causes/two_points.h"
#include "support/make_simulated.h"

/* Five runs of each whose times scatter, as threads wait for CPUs that others have, and whose user
 * time does not: it grows beyond doubt, and its causes are open. */
static void user_time_tells_of_growth_where_others_scatter_the_times(void **state)
{
	static const struct sample one = {.wall = .3, .user = .3};
	static const double waits[] = {.002, .004, .008, .1, .2};
	static const unsigned cores[] = {1, 2};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	record_samples(&r, 0, &one, 5, .01, 4);
	for (size_t i = 0; i < 5; i++) {
		const struct sample many = {
			.wall = .245 + waits[i] / 2, .user = .49, .run_delay = waits[i]};

		record_sample(&r, 1, &many, 1)->metric[SD_METRIC_FOREIGN] = SD_OK(.01);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_SPINNING)->verdict, SD_VERDICT_POSSIBLE);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_POSSIBLE);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Beside waits for locks, what the kernel was called for nobody knows without samples in it: it is
 * no likely cause, however much it is, and the locks' may be all of both. */
static void kernel_time_beside_lock_waits_may_be_the_locks(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	/* .7 of 4 cores wait, 1.3 call the kernel */
	static const struct sample many = {
		.wall = 4, .user = 8, .system = 5.2, .idle = {[SD_IDLE_LOCK] = 2.8}};

	(void)state;
	for (int sampled = 0; sampled < 2; sampled++) {
		const struct sd_finding *lock, *kernel;
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 4, &one, &many, 8, .005, 3);
		for (size_t i = 0; i < r.n_run; i++) {
			make_use(&r.run[i], 0, SD_ACTIVITY_USEFUL, 8);
			if (!sampled)
				r.run[i].sampled.kernel = SD_STATUS_DENIED;
			else if (r.run[i].point)
				make_use(&r.run[i], 0, SD_ACTIVITY_KERNEL_FAULT, 5.1);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		lock = finding_of(&a, SD_CAUSE_LOCK_CONTENTION);
		kernel = finding_of(&a, SD_CAUSE_KERNEL_MEMORY);
		assert_int_equal(lock->verdict, SD_VERDICT_LIKELY);
		assert_string_equal(
			sd_verdict_name[kernel->verdict], sampled ? "likely" : "possible");
		assert_ptr_equal(&a.finding[0], sampled ? kernel : lock);
		if (!sampled)
			assert_true(lock->cores.high > 1.9);
		else
			assert_true(lock->cores.high < .9);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Nor is it one where hardly anybody sleeps for a lock: a call for a lock that is free by then
 * returns at once. */
static void kernel_time_beside_few_sleepers_may_be_the_locks(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};

	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		/* .14 of 4 cores wait, and 1.86 call the kernel; or these alone do */
		const struct sample many = {.wall = 4,
			.user = 8,
			.system = waits ? 7.44 : 8,
			.idle = {[SD_IDLE_LOCK] = waits ? .56 : 0}};
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 4, &one, &many, 8, .005, 3);
		for (size_t i = 0; i < r.n_run; i++) {
			make_use(&r.run[i], 0, SD_ACTIVITY_USEFUL, 8);
			r.run[i].sampled.kernel = SD_STATUS_DENIED;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_string_equal(
			sd_verdict_name[finding_of(&a, SD_CAUSE_KERNEL_MEMORY)->verdict],
			waits ? "possible" : "likely");
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* A late peer that was once seen to wait, or one thread's code: runs of one program that say both
 * say neither. Samples of the code tell. */
static void waits_told_both_ways_are_neither_for_sure(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 4, .user = 8, .idle = {[SD_IDLE_IMBALANCE] = 8}};

	(void)state;
	for (int k = 0; k < 3; k++) {
		const int both = k > 0, sampled = k > 1;
		const struct sd_finding *serial, *uneven;
		struct sd_analysis a;
		struct sd_record r;
		int told = 0;

		two_points(&r, 4, &one, &many, 8, .005, 3);
		for (size_t i = 0; i < r.n_run; i++) {
			struct sd_value *const idle = r.run[i].idle;

			if (sampled)
				make_use(&r.run[i], 0, SD_ACTIVITY_USEFUL, 8);
			if (both && r.run[i].point && !told++) {
				idle[SD_IDLE_SERIAL] = idle[SD_IDLE_IMBALANCE];
				idle[SD_IDLE_IMBALANCE] = SD_OK(0);
			}
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		serial = finding_of(&a, SD_CAUSE_SERIAL_CODE);
		uneven = finding_of(&a, SD_CAUSE_LOAD_IMBALANCE);
		assert_string_equal(
			sd_verdict_name[uneven->verdict], both && !sampled ? "possible" : "likely");
		assert_int_equal(serial->verdict == SD_VERDICT_RULED_OUT, !both);
		assert_true(serial->verdict > SD_VERDICT_LIKELY);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Lines that move in a library's own code are no data of the program's: malloc's are the
 * allocator's, and what an OpenMP runtime's cost, the wait at a barrier or for a lock, stays open.
 */
static void lines_of_libraries_are_not_the_programs(void **state)
{
	static const struct {
		const char *function, *module;
		enum sd_cause cause; /* SD_CAUSE_COUNT: none is sure */
	} row[] = {{"tally", "/home/u/app", SD_CAUSE_TRUE_SHARING},
		{"_int_malloc", "/usr/lib/x86_64-linux-gnu/libc.so.6", SD_CAUSE_ALLOCATOR},
		{NULL, "/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", SD_CAUSE_COUNT}};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 2.5, .user = 20};
	const double moves = 100e6; /* at 100 ns each all that grew */

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_sim_contested *line;
		struct sd_simulated *s;
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 8, &one, &many, 8, .005, 3);
		r.calibration.line = SD_OK(100e-9);
		make_simulated(&r, 0);
		s = make_simulated(&r, 1);
		for (size_t i = 0; i < s->n_thread; i++)
			s->thread[i].hitm_load = moves / (double)s->n_thread;
		line = make_false_line(&r, s, moves);
		line->sharing = SD_SIM_TRUE;
		line->separated = SD_NOT(ABSENT);
		line->code[0].node = make_call(&r, 0, row[k].function, NULL, 0, row[k].module);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		if (row[k].cause < SD_CAUSE_COUNT) {
			assert_int_equal(a.finding[0].cause, row[k].cause);
			assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
			assert_true(a.finding[0].cores.low > 3);
		}
		if (row[k].cause != SD_CAUSE_TRUE_SHARING)
			assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict,
				SD_VERDICT_RULED_OUT);
		assert_int_equal(
			finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
		if (row[k].cause == SD_CAUSE_COUNT)
			assert_int_equal(finding_of(&a, SD_CAUSE_BARRIER_OVERHEAD)->verdict,
				SD_VERDICT_POSSIBLE);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_time_tells_of_growth_where_others_scatter_the_times),
		cmocka_unit_test(kernel_time_beside_lock_waits_may_be_the_locks),
		cmocka_unit_test(kernel_time_beside_few_sleepers_may_be_the_locks),
		cmocka_unit_test(waits_told_both_ways_are_neither_for_sure),
		cmocka_unit_test(lines_of_libraries_are_not_the_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
