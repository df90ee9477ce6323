/*
 * Samples and switches of programs whose places are known: the record names the functions. No time
 * is asserted, only who is named.
 */
#include <math.h>

#include "support/sampled_losses.h"

static void the_holder_of_a_mutex_is_named(void **state)
{
	struct taken t;
	const json_t *lock, *holders;

	take(*state, &t, __func__, "mutex_bound", NULL);
	need(&t, __func__, "status");
	need(&t, __func__, "switch_stacks");
	lock = json_array_get(json_object_get(t.sampled, "locks"), 0);
	if (!lock && sum(&t, "mutex", NULL, SECONDS) == 0) {
		print_message("SKIP: %s: on this machine nobody had to wait\n", __func__);
		skip();
	}
	assert_non_null(lock);
	assert_string_equal(json_string_value(json_object_get(lock, "kind")), "mutex");
	holders = json_object_get(lock, "holders");
	assert_true(json_array_size(holders) >= 2);
	assert_true(is_in(&t, json_integer_value(json_array_get(holders, 0)), "part"));
	assert_true(sum(&t, "mutex", "part", SECONDS) > 0.5 * sum(&t, "mutex", NULL, SECONDS));
}

/* No function has a lock's name there: the arguments of the call say what the word is. */
static void a_lock_of_the_programs_own_is_one(void **state)
{
	struct taken t;
	const json_t *lock;

	take(*state, &t, __func__, "own_lock", NULL);
	need(&t, __func__, "status");
	need(&t, __func__, "switch_stacks");
	lock = json_array_get(json_object_get(t.sampled, "locks"), 0);
	expect(&t, __func__, "no lock", lock != NULL);
	assert_string_equal(json_string_value(json_object_get(lock, "kind")), "mutex");
	/* all but the first wait of each thread */
	expect(&t, __func__, "waits for something else than the lock",
		sum(&t, "mutex", "take", SECONDS) > 4 * sum(&t, "futex", "take", SECONDS));
}

static void a_semaphore_of_one_unit_is_a_lock_with_holders(void **state)
{
	struct taken t;
	const json_t *lock;

	take(*state, &t, __func__, "semaphore_bound", NULL);
	need(&t, __func__, "status");
	need(&t, __func__, "switch_stacks");
	lock = json_array_get(json_object_get(t.sampled, "locks"), 0);
	if (!lock) { /* on a busy machine the one runs while the other waits for a CPU */
		print_message("SKIP: %s: too few waits to tell\n", __func__);
		skip();
	}
	assert_string_equal(json_string_value(json_object_get(lock, "kind")), "semaphore");
	expect(&t, __func__, "nobody held it", sum(&t, "useful", "part", BLAME_LOCK) > 0);
}

static void what_ran_alone_is_named(void **state)
{
	struct taken t;

	take(*state, &t, __func__, "half_serial", NULL);
	need(&t, __func__, "status");
	/* the serial half ran alone, whatever else the machine did; the other half need not have */
	assert_true(sum(&t, "useful", "work", SOLO) > 0);
	assert_true(sum(&t, "useful", "main", SOLO) > 0);
}

static void a_loop_around_a_flag_is_spinning_and_the_work_is_not(void **state)
{
	struct taken t;
	double spun;

	take(*state, &t, __func__, "spins", NULL);
	need(&t, __func__, "status");
	spun = sum(&t, "spin-other", "watch", SECONDS);
	if (spun + sum(&t, "useful", "watch", SECONDS) < 0.02) {
		print_message("SKIP: %s: the other thread hardly ran\n", __func__);
		skip();
	}
	assert_true(spun > 4 * sum(&t, "useful", "watch", SECONDS));
	assert_true(sum(&t, "spin-other", "work", SECONDS) == 0);
	assert_true(sum(&t, "useful", "work", SECONDS) > 0);
}

/* Its code says what it waits for: no table knows it. */
static void a_spinlock_of_the_programs_own_is_a_lock_and_no_flag(void **state)
{
	struct taken t;

	take(*state, &t, __func__, "spinlock", NULL);
	need(&t, __func__, "status");
	if (sum(&t, "useful", "work", SECONDS) <= 0 ||
		sum(&t, "spin-lock", "take", SECONDS) + sum(&t, "spin-other", "take", SECONDS) <=
			0) {
		print_message("SKIP: %s: nobody met a thread that waits\n", __func__);
		skip();
	}
	expect(&t, __func__, "spins for something else than the lock",
		sum(&t, "spin-lock", "take", SECONDS) > 4 * sum(&t, "spin-other", "take", SECONDS));
}

/* An addition in a register takes a cycle, one to memory that is atomic 20 on a core of its own. */
static void time_at_atomic_instructions_is_seen(void **state)
{
	struct taken t;

	take(*state, &t, __func__, "counts", NULL);
	need(&t, __func__, "status");
	if (sum(&t, "useful", "add", SECONDS) < 0.05) {
		print_message("SKIP: %s: it hardly ran\n", __func__);
		skip();
	}
	assert_true(sum(&t, "useful", "add", ATOMIC) > 0.5 * sum(&t, "useful", "add", SECONDS));
	assert_true(sum(&t, "useful", NULL, ATOMIC) <= sum(&t, "useful", NULL, SECONDS));
}

static void computing_is_not_at_atomic_instructions(void **state)
{
	struct taken t;

	take(*state, &t, __func__, "forks", NULL);
	need(&t, __func__, "status");
	assert_true(sum(&t, "useful", "work", SECONDS) > 0);
	assert_true(sum(&t, "useful", "work", ATOMIC) == 0);
}

static void without_samples_the_record_has_none(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *record;

	e2e_run(e, &r, "--samples", "none", "--cores", "1", "--repeats", "1", "-o", "r.json", "--",
		e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	assert_non_null(record);
	assert_null(json_object_get(record, "stacks"));
	assert_null(json_object_get(json_array_get(json_object_get(record, "runs"), 0), "sampled"));
	json_decref(record);
	e2e_run(e, &r, "--samples", "some", "--", e2e_program(e, "scales"));
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "must be auto or none");
	e2e_result_free(&r);
}

static void raw_samples_stay_where_they_are_asked_for(void **state)
{
	struct e2e *e = *state;
	struct taken t;
	struct e2e_result r;

	e2e_run(e, &r, "--keep-samples=kept", "--cores", "2", "--repeats", "1", "-o", "r.json",
		"--", e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	t.record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	json_decref(e->report);
	e->report = t.record;
	t.sampled =
		json_object_get(json_array_get(json_object_get(t.record, "runs"), 0), "sampled");
	need(&t, __func__, "status");
	assert_int_equal(access(e2e_path(e, "kept/run-0001.perf"), R_OK), 0);
}

/* Goroutines that wait leave a thread without a task: that is never serial code. */
static void goroutines_that_wait_for_a_mutex_are_no_serial_code(void **state)
{
	struct e2e *const e = *state;
	char build[600];
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	e2e_write(e2e_path(e, "m.go"), go_mutex);
	snprintf(build, sizeof build, "cd '%s' && go build -o m m.go >/dev/null 2>&1", e->folder);
	if (system(build) != 0)
		e2e_skip(__func__, "no Go compiler");
	e2e_run(e, &r, "--cores", "1,2", "--experiments", "none", "--repeats", "5", "--json", "-o",
		"r.json", "--", e2e_path(e, "m"), "{n}");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	for (int i = 0; i < 2; i++) {
		const char *const cause = i ? "lock-contention" : "serial-code";
		const char *const verdict = e2e_verdict(report, cause);

		assert_string_not_equal(verdict, i ? "ruled-out" : "likely");
		assert_string_not_equal(verdict, i ? "ruled-out" : "confirmed");
	}
	e2e_result_free(&r);
}

/* Whole CPUs are looked at, and a process that has ended is met there for some
 * microseconds more. */
static void processes_that_have_ended_no_longer_run(void **state)
{
	struct taken t;
	const json_t *runs;

	take(*state, &t, __func__, "short_children", NULL);
	need(&t, __func__, "status");
	runs = json_object_get(t.record, "runs");
	/* [k]: time with k threads on a CPU or ready */
	assert_in_range(json_array_size(json_object_get(
				json_array_get(runs, json_array_size(runs) - 1), "concurrency")),
		1, 3);
}

/* A copy of 8 KiB of a stack of 40 has no end: later runs copy more. */
static void deep_stacks_are_copied_whole_when_they_are_known(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	double least = 1, most = 0;
	const json_t *run;
	json_t *record;
	size_t i, n = 0;

	e2e_run(e, &r, "--cores", "1", "--repeats", "5", "--experiments", "none", "-o", "r.json",
		"--", e2e_program(e, "deep"), "0.05");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const sampled = json_object_get(run, "sampled");
		const char *const status = json_string_value(json_object_get(sampled, "status"));

		if (!status || strcmp(status, "ok") != 0)
			continue;
		n++;
		least = fmin(least, json_number_value(json_object_get(sampled, "unwound")));
		most = fmax(most, json_number_value(json_object_get(sampled, "unwound")));
	}
	json_decref(record);
	if (!n) {
		print_message("SKIP: %s: no samples here\n", __func__);
		skip();
	}
	assert_true(n >= 5);
	assert_true(least < .5);
	assert_true(most > .9);
}

/* Share `what` of a run's samples that copy at most so many bytes of their stacks; -1: more. */
static double share_of(const json_t *run, const char *what, double bytes)
{
	const json_t *const sampled = json_object_get(run, "sampled");

	return json_number_value(json_object_get(sampled, "stack_bytes")) <= bytes
		       ? json_number_value(json_object_get(sampled, what))
		       : -1;
}

/*
 * Once it is known that small copies show the same, with what the kernel reads by frame pointers:
 * those, and the stacks are as whole. What is shallow needs no pointers.
 */
static void small_copies_are_made_where_they_show_the_same(void **state)
{
	static const struct {
		const char *program;
		int deep;
	} rows[] = {{"half_serial_omp", 0}, {"deep_pointers", 1}};
	struct e2e *const e = *state;
	const json_t *run;
	struct e2e_result r;
	json_t *record;

#if !defined(__x86_64__)
	print_message("SKIP: %s: unwind tables here do not tell of frame pointers\n", __func__);
	skip();
#endif
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		size_t i, n = 0, small = 0;

		e2e_run(e, &r, "--cores", "1", "--repeats", "6", "--experiments", "none", "-o",
			"small.json", "--", e2e_program(e, rows[k].program), "1.2");
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		record = json_load_file(e2e_path(e, "small.json"), 0, NULL);
		json_array_foreach(json_object_get(record, "runs"), i, run)
		{
			const double whole = share_of(run, "unwound", 4096);

			n += json_number_value(json_object_get(
				     json_object_get(run, "sampled"), "samples")) > 20;
			if (whole < 0)
				continue;
			small++;
			assert_true(whole > .9);
			assert_true(!rows[k].deep || share_of(run, "by_frame_pointers", 4096) > .9);
		}
		json_decref(record);
		if (!n) {
			print_message("SKIP: %s: no samples here\n", __func__);
			skip();
		}
		assert_true(small >= 1);
	}
}

/* The team writes what main() has on its stack; two threads write a structure of the heap. */
static void lines_of_stacks_and_heaps_are_named_by_what_is_in_them(void **state)
{
	static const char *const row[][3] = {
		{"stack_sums_omp", "200000000", "1  sums[0], sums[1] in main(), stack of "},
		{"heap_members", "30000000",
			" (struct shop.till[0].sold, struct shop.till[1].left"}};
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_need_two_cpus(__func__);
	for (size_t i = 0; i < 2; i++) {
		e2e_run(e, &r, "--cores", "2", "--repeats", "1", "--experiments", "none", "-o",
			"r.json", "--", e2e_program(e, row[i][0]), "2", row[i][1]);
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		e2e_run(e, &r, "lines", "r.json");
		if (r.status || strstr(r.out, "No line"))
			e2e_skip(__func__, "no sample met a contested line");
		if (!strstr(r.out, row[i][2]))
			fail_msg("%s", r.out);
		e2e_result_free(&r);
	}
}

/* A run that finds a contested line of the heap is followed by one with a library preloaded, which
 * is told of the program's blocks. */
static void a_later_run_is_told_who_allocated_a_contested_block(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *run, *line;
	size_t i, k, asked = 0, found = 0, told = 0;
	json_t *record;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "2", "--repeats", "4", "--experiments", "none", "-o", "r.json",
		"--", e2e_program(e, "heap_sharing"), "2", "100000000");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	assert_non_null(record);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const n = json_object_get(run, "native");

		asked += json_is_true(json_object_get(n, "heap_asked"));
		told += json_is_true(json_object_get(n, "heap_told"));
		json_array_foreach(json_object_get(n, "lines"), k, line) found +=
			json_integer_value(json_object_get(line, "site")) > 0;
	}
	json_decref(record);
	assert_true(asked <= 2);
	if (!asked)
		e2e_skip(__func__, "no sample met a contested line before the last run");
	assert_true(told > 0);
	if (!found)
		e2e_skip(__func__, "no sample met a contested line in the run that was told");
	e2e_run(e, &r, "lines", "r.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "allocated in make_counters() heap_sharing.c:"));
	e2e_result_free(&r);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		T(the_holder_of_a_mutex_is_named),
		T(a_lock_of_the_programs_own_is_one),
		T(a_semaphore_of_one_unit_is_a_lock_with_holders),
		T(what_ran_alone_is_named),
		T(goroutines_that_wait_for_a_mutex_are_no_serial_code),
		T(processes_that_have_ended_no_longer_run),
		T(a_loop_around_a_flag_is_spinning_and_the_work_is_not),
		T(a_spinlock_of_the_programs_own_is_a_lock_and_no_flag),
		T(time_at_atomic_instructions_is_seen),
		T(computing_is_not_at_atomic_instructions),
		T(deep_stacks_are_copied_whole_when_they_are_known),
		T(small_copies_are_made_where_they_show_the_same),
		T(without_samples_the_record_has_none),
		T(raw_samples_stay_where_they_are_asked_for),
		T(lines_of_stacks_and_heaps_are_named_by_what_is_in_them),
		T(a_later_run_is_told_who_allocated_a_contested_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
