/*
 * Time below malloc and in runtimes of tasks, by the functions of their stacks.
 */
#include "diagnose/analyse/hotspots/sampled_mixture.h"
#include "hotspots/fold_stacks.h"

/* A program that does nothing but allocate on 4 cores: its lock and its kernel are the
 * allocator's, whichever of its functions the symbol table calls. */
static void locks_below_malloc_are_the_allocators(void **state)
{
	static const char *const name[] = {
		"malloc", "free", "cfree", "__libc_malloc_impl", "je_malloc", "mi_free"};
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {
		.wall = 5, .user = 10, .system = .1, .idle = {[SD_IDLE_LOCK] = 9.9}};

	(void)state;
	for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
		struct sd_record r;
		struct sd_analysis a;
		unsigned memory;

		record_make(&r, cores, 2);
		memory = make_call(
			&r, make_stacks(&r).relax, name[k], NULL, 0, "/usr/lib/libc.so.6");
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);
			struct sd_use *u;

			make_use(run, memory, SD_ACTIVITY_USEFUL, 9.9);
			run = record_sample(&r, 1, &many, 1 + .001 * i);
			u = make_use(run, memory, SD_ACTIVITY_USEFUL, 10);
			u->blame = u->blame_lock = 9.9;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.finding[0].cause, SD_CAUSE_ALLOCATOR);
		assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
		assert_near(a.finding[0].cores.value, (9.9 + .1) / 5, 1e-2);
		assert_string_equal(a.finding[0].where[0].function, "relax");
		assert_string_equal(a.finding[0].where[0].in, name[k]);
		assert_int_equal(
			finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict, SD_VERDICT_RULED_OUT);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* 12 of the 15 s that are lost go to the runtime that makes tasks, below malloc and while others
 * wait for it; what tasks themselves do is not its. */
static void tasks_that_are_too_small_are_barrier_overhead_and_nothing_else(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {.wall = 5,
		.user = 14,
		.system = .1,
		.idle = {[SD_IDLE_LOCK] = 1.9, [SD_IDLE_SERIAL] = 4}};

	(void)state;
	for (int small = 0; small < 2; small++) {
		struct sd_record r;
		struct sd_analysis a;
		unsigned loop, make, memory, task;

		record_make(&r, cores, 2);
		loop = make_call(&r, 0, "loop", "/src/a.c", 10, "/app/a");
		make = make_call(
			&r, loop, small ? "GOMP_task" : "memcpy", NULL, 0, "/usr/lib/libgomp.so.1");
		memory = make_call(&r, make, "malloc", NULL, 0, "/usr/lib/libc.so.6");
		task = make_call(&r, make, "task", "/src/a.c", 12, "/app/a");
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);
			struct sd_use *u;

			make_use(run, task, SD_ACTIVITY_USEFUL, 9.9);
			run = record_sample(&r, 1, &many, 1 + .001 * i);
			make_use(run, task, SD_ACTIVITY_USEFUL, 8);
			u = make_use(run, memory, SD_ACTIVITY_USEFUL, 4);
			u->blame = u->blame_serial = 4;
			u = make_use(run, make, SD_ACTIVITY_USEFUL, 1);
			u->blame = u->blame_lock = 1.9;
			make_use(run, loop, SD_ACTIVITY_SPIN_BARRIER, 1);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.finding[0].cause == SD_CAUSE_BARRIER_OVERHEAD, small);
		assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict,
			small ? SD_VERDICT_RULED_OUT : SD_VERDICT_LIKELY);
		assert_int_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict,
			small ? SD_VERDICT_RULED_OUT : SD_VERDICT_LIKELY);
		if (small) {
			assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
			/* 4 + 1 ran there, 4 + 1.9 waited, 1 spun; 5 s long */
			assert_near(a.finding[0].cores.value, 11.9 / 5, 1e-2);
			assert_string_equal(a.finding[0].where[0].function, "loop");
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Sets the clock to a share of the rate that a core has to itself. */
static void set_width(struct sd_run *r, double share)
{
	r->metric[SD_METRIC_WIDTH] = SD_OK(3.8 * share);
	r->metric[SD_METRIC_WIDTH_LEAST] = SD_OK(3.8 * share);
	r->metric[SD_METRIC_WIDTH_MOST] = SD_OK(3.8);
}

/* Others' use of the cores makes time below malloc as much slower as all else. */
static void time_below_malloc_on_shared_cores_is_possible_at_most(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {.wall = 6.6, .user = 13.1, .system = .1};

	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		struct sd_record r;
		struct sd_analysis a;
		struct stacks s;

		record_make(&r, cores, 2);
		s = make_stacks(&r);
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);

			set_width(run, 1);
			make_use(run, s.relax, SD_ACTIVITY_USEFUL, 8.9);
			make_use(run, s.malloc, SD_ACTIVITY_USEFUL, 1);
			run = record_sample(&r, 1, &many, 1 + .001 * i);
			set_width(run, shared ? .7 : 1);
			make_use(run, s.relax, SD_ACTIVITY_USEFUL, 8.9);
			make_use(run, s.malloc, SD_ACTIVITY_USEFUL, 4.2);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.scales, shared ? SD_SCALES_UNKNOWN : SD_SCALES_NO);
		assert_int_equal(finding_of(&a, SD_CAUSE_ALLOCATOR)->verdict,
			shared ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		/* all that grew is below malloc: nothing of it is left without a cause */
		assert_int_equal(sd_has(a.undecided), shared);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_below_malloc_are_the_allocators),
		cmocka_unit_test(tasks_that_are_too_small_are_barrier_overhead_and_nothing_else),
		cmocka_unit_test(time_below_malloc_on_shared_cores_is_possible_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
