/*
 * What samples and switches say of programs whose places are known: the record names the functions.
 * No time is asserted, only who is named.
 */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/others.h"

/* The last run of a record, and its table of stacks. */
struct taken {
	json_t *record;
	const json_t *sampled, *text, *frame, *node;
	struct others since; /* it began */
};

static void take(
	struct e2e *e, struct taken *t, const char *test, const char *program, e2e_hook *hook)
{
	struct e2e_result r;
	const json_t *runs;

	e2e_need_two_cpus(test);
	t->since = others_now();
	e2e_run_hooked(e, &r, hook, NULL, "--cores", "2", "--repeats", "1", "-o", "r.json", "--",
		e2e_program(e, program), "0.5");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	t->record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	json_decref(e->report);
	e->report = t->record; /* freed with the test, also when it is skipped */
	assert_non_null(t->record);
	runs = json_object_get(t->record, "runs");
	t->sampled = json_object_get(json_array_get(runs, json_array_size(runs) - 1), "sampled");
	t->text = json_object_get(json_object_get(t->record, "stacks"), "texts");
	t->frame = json_object_get(json_object_get(t->record, "stacks"), "frames");
	t->node = json_object_get(json_object_get(t->record, "stacks"), "nodes");
}

static const char *status_of(const struct taken *t, const char *key)
{
	const char *const s = json_string_value(json_object_get(t->sampled, key));

	return s ? s : "absent";
}

/* Skips where the kernel gives no samples, or not what the test needs of them. */
static void need(const struct taken *t, const char *test, const char *key)
{
	const char *const status = status_of(t, key);

	if (strcmp(status, "ok") == 0 || strcmp(status, "multiplexed") == 0)
		return;
	print_message("SKIP: %s: %s of samples: %s\n", test, key, status);
	skip();
}

/* Rows of what was seen, for whoever has to find out why it was not what it must be. */
static void print_uses(const struct taken *t)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(t->sampled, "uses"), i, row)
	{
		char *const text = json_dumps(row, JSON_COMPACT);

		print_message("  %s\n", text ? text : "?");
		free(text);
	}
}

/* What holds where both threads have a CPU: who waits for whom depends on who is given one. */
static void expect(const struct taken *t, const char *test, const char *what, int holds)
{
	const double unwatched = json_number_value(json_object_get(t->sampled, "unwatched"));
	const double own = json_number_value(json_object_get(t->sampled, "switches"));

	if (holds)
		return;
	others_skip(&t->since, test);
	/* it did not make so many itself, in half a second or more */
	if (unwatched > .5 && unwatched < 1 && own / (1 - unwatched) < 2500) {
		print_message("SKIP: %s: others switched so often that switches were recorded for "
			      "%.0f %% of the time only\n",
			test, 100 * (1 - unwatched));
		skip();
	}
	print_uses(t);
	fail_msg("%s", what);
}

/* Is there a frame of this function in the stack? */
static int is_in(const struct taken *t, json_int_t node, const char *function)
{
	while (node > 0) {
		const size_t at = 2 * ((size_t)node - 1);
		const size_t frame = (size_t)json_integer_value(json_array_get(t->node, at + 1));
		const size_t name = (size_t)json_integer_value(json_array_get(t->frame, 6 * frame));
		const char *const text = json_string_value(json_array_get(t->text, name));

		if (text && strcmp(text, function) == 0)
			return 1;
		node = json_integer_value(json_array_get(t->node, at));
	}
	return 0;
}

/* A number of a row; the zeros at its end are left out. */
static double number(const json_t *row, size_t i)
{
	return json_number_value(json_array_get(row, i));
}

enum { SECONDS = 2, SOLO = 5, BLAME_LOCK = 9, ATOMIC = 12 };

/* The sum of a column over the rows of an activity, of stacks with that function or all. */
static double sum(const struct taken *t, const char *activity, const char *function, size_t column)
{
	const json_t *row;
	double s = 0;
	size_t i;

	json_array_foreach(json_object_get(t->sampled, "uses"), i, row)
	{
		const json_int_t node = json_integer_value(json_array_get(row, 0));

		if (strcmp(json_string_value(json_array_get(row, 1)), activity) == 0 &&
			(!function || is_in(t, node, function)))
			s += number(row, column);
	}
	return s;
}

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

/* As nobody: the group first, which only root may leave. */
static int become_nobody(void *ctx)
{
	(void)ctx;
	return setgid(65534) || setuid(65534);
}

static void an_ordinary_user_gets_samples_of_user_code_and_no_made_up_stacks(void **state)
{
	struct e2e *e = *state;
	struct taken t;

	if (getuid() != 0) {
		print_message("SKIP: %s: needs root to become another user\n", __func__);
		skip();
	}
	assert_int_equal(chown(e->folder, 65534, 65534), 0);
	if (access("/proc/sys/kernel/perf_event_paranoid", R_OK)) {
		print_message("SKIP: %s: no perf here\n", __func__);
		skip();
	}
	take(e, &t, __func__, "half_serial", become_nobody);
	if (strcmp(status_of(&t, "status"), "ok") != 0) {
		/* then nothing is claimed */
		assert_int_equal(json_array_size(json_object_get(t.sampled, "uses")), 0);
		return;
	}
	assert_true(sum(&t, "useful", "work", SECONDS) > 0);
	if (strcmp(status_of(&t, "kernel"), "denied") == 0)
		assert_true(sum(&t, "kernel-other", NULL, SECONDS) == 0);
}

/* What is seen of the waits that the kernel gives no stacks of. */
static void an_ordinary_user_gets_the_locks_name_and_who_waits_for_it(void **state)
{
	struct e2e *e = *state;
	struct taken t;
	const json_t *lock;
	json_int_t name;

	if (getuid() != 0) {
		print_message("SKIP: %s: needs root to become another user\n", __func__);
		skip();
	}
	assert_int_equal(chown(e->folder, 65534, 65534), 0);
	take(e, &t, __func__, "sleeps_locked", become_nobody);
	need(&t, __func__, "status");
	if (strcmp(status_of(&t, "switch_stacks"), "denied") != 0) {
		print_message("SKIP: %s: users are given stacks at switches here\n", __func__);
		skip();
	}
	lock = json_array_get(json_object_get(t.sampled, "locks"), 0);
	expect(&t, __func__, "no lock", lock != NULL);
	name = json_integer_value(json_object_get(lock, "name"));
	assert_string_equal(json_string_value(json_object_get(lock, "kind")), "mutex");
	assert_non_null(strstr(json_string_value(json_array_get(t.text, (size_t)name)), "shared"));
	/* all is seen but for the calls before a thread was first looked at, and what is likened */
	expect(&t, __func__, "waits of less than half of the run",
		sum(&t, "mutex", "part", SECONDS) > 0.25);
	assert_true(sum(&t, "mutex", "part", SECONDS) > 0.9 * sum(&t, "mutex", NULL, SECONDS));
}

static const char go_mutex[] =
	"package main\n"
	"import (\"os\"; \"runtime\"; \"strconv\"; \"sync\")\n"
	"var lock sync.Mutex\n"
	"func step(n int, x uint64) uint64 {\n"
	"	for ; n > 0; n-- { x = x*6364136223846793005 + 1442695040888963407 }\n"
	"	return x\n"
	"}\n"
	"func main() {\n"
	"	n, _ := strconv.Atoi(os.Args[1])\n"
	"	runtime.GOMAXPROCS(n)\n"
	"	var all sync.WaitGroup\n"
	"	for i := 0; i < n; i++ {\n"
	"		all.Add(1)\n"
	"		go func() {\n"
	"			x := uint64(1)\n"
	"			for k := 0; k < 20000/n; k++ {\n"
	"				lock.Lock(); x = step(20000, x); lock.Unlock()\n"
	"				x = step(2000, x)\n"
	"			}\n"
	"			all.Done()\n"
	"		}()\n"
	"	}\n"
	"	all.Wait()\n"
	"}\n";

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
		T(without_samples_the_record_has_none),
		T(raw_samples_stay_where_they_are_asked_for),
		T(an_ordinary_user_gets_samples_of_user_code_and_no_made_up_stacks),
		T(an_ordinary_user_gets_the_locks_name_and_who_waits_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
