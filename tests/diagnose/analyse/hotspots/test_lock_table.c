/*
 * The table of locks, and how many threads ran at a time.
 */
#include "diagnose/analyse/hotspots/sampled_mixture.h"
#include "hotspots/fold_stacks.h"

static void the_locks_table_merges_the_runs(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {
		.wall = 5, .user = 10, .system = .1, .idle = {[SD_IDLE_LOCK] = 9.9}};
	struct sd_record r;
	struct sd_analysis a;
	struct stacks s;
	unsigned name;

	(void)state;
	record_make(&r, cores, 2);
	s = make_stacks(&r);
	assert_int_equal(sd_stacks_text(&r.stacks, "queue_lock", &name), 0);
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);
		struct sd_lock_use *l;

		make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9.9);
		run = record_sample(&r, 1, &many, 1);
		make_use(run, s.relax, SD_ACTIVITY_USEFUL, 10);
		make_lock(run, 0, SD_ACTIVITY_MUTEX, 3, .2)->address = 64;
		l = make_lock(run, name, SD_ACTIVITY_MUTEX, 1000, 8);
		l->address = (uint64_t)i; /* another one in every run */
		l->acquisitions = SD_OK(4000);
		l->holder[0].node = s.lock;
		l->holder[0].seconds = 6;
		l->holder[1].node = s.init;
		l->holder[1].seconds = 2;
		l->waiter[0].node = s.lock;
		l->waiter[0].seconds = 8;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_lock, 2);
	assert_string_equal(a.lock[0].name, "queue_lock");
	assert_string_equal(a.lock[0].kind, "mutex");
	assert_near(a.lock[0].waits, 1000, 1e-9);
	assert_near(a.lock[0].wait_s, 8, 1e-9);
	assert_near(a.lock[0].cores.value, 8. / 5, 1e-9);
	assert_near(a.lock[0].conflict.value, .25, 1e-9);
	assert_int_equal(a.lock[0].n_holder, 2);
	assert_string_equal(a.lock[0].holder[0].function, "push");
	assert_near(a.lock[0].holder[0].share, .75, 1e-9);
	assert_null(a.lock[1].name);
	assert_true(has_evidence(finding_of(&a, SD_CAUSE_LOCK_CONTENTION),
		"queue_lock (mutex), 1000 blocking waits per run, 8 s in all, held meanwhile by push() "
		"queue.c:41"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A library's lock without a symbol has the name of the innermost function there that takes it; an
 * interpreter's own lock has a name that everybody knows, and a runtime's lock of an object the
 * object's class. */
static void a_lock_of_a_library_is_named_by_who_takes_it(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct {
		const char *address, *function, *name;
		int runtime;
	} row[] = {
		{"[libx.so.1+0x40]", "next_ticket", "[libx.so.1+0x40], of next_ticket()", 0},
		{"[libx.so.1+0x40]", "x::take(int)", "[libx.so.1+0x40], of x::take(int)", 0},
		{"[libother.so.1+0x40]", "next_ticket", "[libother.so.1+0x40]", 0},
		{"ticket_lock", "next_ticket", "ticket_lock", 0},
		{"_PyRuntime+0x1b0", "take_gil", "GIL, _PyRuntime+0x1b0", 1},
		{"_PyRuntime+0x20", "next_ticket", "_PyRuntime+0x20", 0},
		{"", "ObjectMonitor::enter(JavaThread*) [of java.lang.Object]", "java.lang.Object",
			1},
	};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		unsigned name, inner;
		struct sd_record r;
		struct sd_analysis a;
		struct stacks s;

		record_make(&r, cores, 2);
		s = make_stacks(&r);
		assert_int_equal(sd_stacks_text(&r.stacks, row[k].address, &name), 0);
		inner = make_call(&r, s.relax, row[k].function, NULL, 0, "/usr/lib/libx.so.1");
		inner = make_call(&r, inner, "pthread_mutex_lock", NULL, 0, "/lib/libc.so.6");
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1);
			struct sd_lock_use *l;

			make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9.9);
			run = record_sample(&r, 1, &one, 1);
			make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9.9);
			l = make_lock(run, name,
				row[k].runtime ? SD_ACTIVITY_RUNTIME_LOCK : SD_ACTIVITY_MUTEX, 100,
				2);
			l->waiter[0].node = inner;
			l->waiter[0].seconds = 2;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.n_lock, 1);
		assert_string_equal(a.lock[0].name, row[k].name);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* On the heap or a stack: at another address in every run. */
static void locks_without_a_name_are_one_over_the_runs(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	struct sd_record r;
	struct sd_analysis a;
	struct stacks s;

	(void)state;
	record_make(&r, cores, 2);
	s = make_stacks(&r);
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);
		/* two locks of one place, wanted for 4 s and for 1 s, and one of another place */
		static const double wait_s[] = {1, 4, 2};

		make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9.9);
		run = record_sample(&r, 1, &one, 1);
		make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9.9);
		for (int k = 0; k < 3; k++) {
			const int which = (k + i) % 3;
			struct sd_lock_use *const l =
				make_lock(run, 0, SD_ACTIVITY_MUTEX, 100, wait_s[which]);

			l->address = (uint64_t)(4096 * i + 64 * k);
			l->waiter[0].node = which == 2 ? s.init : s.lock;
			l->waiter[0].seconds = wait_s[which];
		}
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_lock, 3);
	assert_near(a.lock[0].wait_s, 4, 1e-9);
	assert_near(a.lock[0].waits, 100, 1e-9);
	assert_near(a.lock[0].cores.value, .4, 1e-9);
	assert_near(a.lock[1].wait_s, 2, 1e-9);
	assert_near(a.lock[2].wait_s, 1, 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void threads_at_a_time_are_shares_and_the_critical_path_is_divided(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_mixture(&r, &a);
	sd_analysis_free(&a);
	for (size_t i = 0; i < r.n_run; i++) {
		struct sd_run *const run = &r.run[i];

		free(run->concurrency);
		free(run->sampled.bottle);
		run->concurrency = calloc(3, sizeof *run->concurrency);
		run->n_concurrency = 3;
		run->concurrency[1] = 1;
		run->concurrency[2] = 3;
		run->sampled.bottle = calloc(2, sizeof *run->sampled.bottle);
		run->sampled.n_bottle = 2;
		run->sampled.bottle[0] = (struct sd_bottle){7, 8, "main", 3, 1.25};
		run->sampled.bottle[1] = (struct sd_bottle){7, 9, "", 1, NAN};
		for (size_t k = 0; k < run->sampled.n_use; k++)
			run->sampled.use[k].solo = run->sampled.use[k].seconds;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.threads.n_together, 3);
	assert_near(a.threads.together[0], 0, 1e-9);
	assert_near(a.threads.together[1], .25, 1e-9);
	assert_near(a.threads.together[2], .75, 1e-9);
	assert_int_equal(a.threads.n_row, 2);
	assert_int_equal(a.threads.row[0].tid, 8);
	assert_string_equal(a.threads.row[0].name, "main");
	assert_near(a.threads.row[0].share, .75, 1e-9);
	assert_near(a.threads.row[0].width, 1.25, 1e-9);
	assert_near(a.threads.row[1].width, 0, 1e-9);
	assert_true(a.threads.n_alone > 0 && a.threads.alone[0].share > 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_locks_table_merges_the_runs),
		cmocka_unit_test(a_lock_of_a_library_is_named_by_who_takes_it),
		cmocka_unit_test(locks_without_a_name_are_one_over_the_runs),
		cmocka_unit_test(threads_at_a_time_are_shares_and_the_critical_path_is_divided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
