/*
 * Programs whose cause is known, at one and two cores: the report names it. The effects are large,
 * so that what is asserted holds on a shared machine; where it does not, a witness that is not the
 * program under test says whether others disturbed it (support/tries.h).
 */
#include "e2e/e2e.h"
#include "support/first_screen.h"
#include "support/tries.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* By how much the expected loss must exceed every other. */
#define CLEARLY 2.0

/* The reader's test on a real record: every cause that is told stands on a screen, below the
 * command, which may be of any length. */
static void check_reader(struct e2e *e, const json_t *report)
{
	static const size_t most[] = {25, 25, 33, 40};
	const json_t *const causes = json_object_get(json_object_get(report, "view"), "causes"),
			    *cause;
	const char *const answer =
		json_string_value(json_object_get(json_object_get(report, "view"), "answer"));
	const char *below;
	struct e2e_result r;
	char head[32];
	size_t i;

	e2e_run(e, &r, "report", "reader.json");
	e2e_expect_status(&r, 0);
	snprintf(head, sizeof head, "\n%.20s", answer);
	below = strstr(r.out, head);
	assert_non_null(below);
	check_first_screen(below + 1, most[json_array_size(causes)] - 1);
	json_array_foreach(causes, i, cause)
	{
		snprintf(head, sizeof head, "\n%zu. ", i + 1);
		assert_non_null(strstr(r.out, head));
		assert_true(json_string_length(json_object_get(cause, "title")) > 0);
	}
	e2e_result_free(&r);
}

static const json_t *diagnose(
	struct e2e *e, const char *test, const char *program, const char *a, const char *b)
{
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(test);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "5", "--seed", "1", "--experiments", "none",
		"-o", "reader.json", "--json", "--", e2e_program(e, program), a, b,
		b ? e->folder : NULL);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	check_reader(e, report);
	e2e_result_free(&r);
	assert_int_equal(json_array_size(json_object_get(report, "points")), 2);
	return report;
}

static int is_named(const char *verdict)
{
	return strcmp(verdict, "likely") == 0 || strcmp(verdict, "confirmed") == 0;
}

/* A diagnosis that is expected: the largest loss, or NULL; a cause that is named, or NULL.
 * `certain`: so much is lost that no neighbour can have taken it, and it is said not to scale;
 * elsewhere it may be open, and is never said to scale. */
struct sign {
	const char *component, *cause;
	int certain;
};

/* Says which part of it the report lacks; NULL: none. */
static const char *missed(const json_t *report, const struct sign *s, char text[160])
{
	double factor;
	const char *const largest = e2e_largest_loss(report, 2, &factor);
	const char *const verdict = s->cause ? e2e_verdict(report, s->cause) : "likely";

	if (s->component && !(strcmp(largest, s->component) == 0 && factor >= CLEARLY))
		snprintf(text, 160, "the largest loss is %s, %.2f times the next, not %s", largest,
			factor, s->component);
	else if (!is_named(verdict))
		snprintf(text, 160, "%s is %s, neither likely nor confirmed", s->cause, verdict);
	else if (s->cause && json_is_true(json_object_get(report, "scales")))
		snprintf(text, 160, "%s is %s, and it scales", s->cause, verdict);
	else if (s->certain && !json_is_false(json_object_get(report, "scales")))
		snprintf(text, 160, "%s is %s, and whether it scales is open", s->cause, verdict);
	else
		return NULL;
	e2e_show(report);
	return text;
}

/* Diagnoses it until it is told, or is not; the last report. */
static const json_t *expect(struct e2e *e, const char *test, const char *program, const char *a,
	const char *b, const struct sign *s)
{
	struct tries t = {.test = test};
	const json_t *report = NULL;
	char text[160];

	while (tries_next(&t)) {
		report = diagnose(e, test, program, a, b);
		tries_tell(&t, missed(report, s, text));
	}
	return report;
}

/*
 * Whatever the machine does meanwhile, a program that scales is never given a cause of its own:
 * noise is the machine's.
 */
static void expect_nothing_named(const json_t *report)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		const char *const cause = json_string_value(json_object_get(finding, "cause"));

		if (is_named(json_string_value(json_object_get(finding, "verdict"))) &&
			strcmp(cause, "noise") != 0)
			fail_msg("names %s for a program that scales", cause);
	}
	assert_false(json_is_false(json_object_get(report, "scales")));
}

static const char *is_open(const json_t *report)
{
	expect_nothing_named(report);
	if (json_is_true(json_object_get(report, "scales")))
		return NULL;
	e2e_show(report);
	return "whether it scales is open";
}

/* s of work: a kernel may leave a new thread or process on the CPU of the one that made it (seen: 3
 * to 17 ms of waiting for a CPU, and up to 90 where another woke up at that moment), which in a
 * tenth of a second is a loss. */
#define SCALES_S "1.5"

static void expect_scales(struct e2e *e, const char *test, const char *program)
{
	struct tries t = {.test = test};

	while (tries_next(&t))
		tries_tell(&t, is_open(diagnose(e, test, program, SCALES_S, NULL)));
}

static void a_pthread_program_that_scales_has_no_cause(void **state)
{
	expect_scales(*state, __func__, "scales");
}

static void an_openmp_program_that_scales_has_no_cause(void **state)
{
	expect_scales(*state, __func__, "scales_omp");
}

static void a_program_that_scales_by_processes_has_no_cause(void **state)
{
	expect_scales(*state, __func__, "forks");
}

static void output_that_differs_every_time_does_not_keep_a_program_from_scaling(void **state)
{
	expect_scales(*state, __func__, "unstable");
}

static void half_serial_is_serial_code(void **state)
{
	expect(*state, __func__, "half_serial", "0.2", NULL,
		&(struct sign){.component = "serial", .cause = "serial-code"});
}

static void half_serial_in_openmp_is_serial_code(void **state)
{
	/* libgomp's threads spin for some milliseconds before they sleep: that part of the serial
	 * time is user time to any clock, and growth in the stack */
	assert_int_equal(setenv("OMP_WAIT_POLICY", "passive", 1), 0);
	expect(*state, __func__, "half_serial_omp", "0.2", NULL,
		&(struct sign){.component = "serial", .cause = "serial-code"});
	unsetenv("OMP_WAIT_POLICY");
}

static void one_heavier_worker_is_load_imbalance(void **state)
{
	expect(*state, __func__, "imbalanced", "0.2", NULL,
		&(struct sign){.component = "imbalance", .cause = "load-imbalance"});
}

/* All of its work is done under the mutex: two cores are as fast as one. */
static void work_under_one_mutex_is_lock_contention(void **state)
{
	expect(*state, __func__, "mutex_bound", "0.2", NULL,
		&(struct sign){.component = "lock", .cause = "lock-contention", .certain = 1});
}

static void work_under_a_lock_on_a_file_is_lock_contention(void **state)
{
	static const char *const how[] = {"whole", "record"};

	for (size_t i = 0; i < 2; i++)
		expect(*state, __func__, "file_lock", "0.3", how[i],
			&(struct sign){.component = "lock", .cause = "lock-contention"});
}

/* One at a time uses a descriptor's position, or writes a file. */
static void waiting_for_an_object_of_the_kernel_is_lock_contention(void **state)
{
	static const char *const kinds[] = {"position", "inode"};

	/* writing costs the kernel more with every CPU, besides */
	for (size_t i = 0; i < 2; i++)
		expect(*state, __func__, "kernel_locks", "0.5", kinds[i],
			&(struct sign){
				.component = i == 0 ? "lock" : NULL, .cause = "lock-contention"});
}

static const char *directory_missed(const json_t *report)
{
	const json_t *const lock = json_array_get(json_object_get(report, "locks"), 0);
	const json_t *const holder = json_array_get(json_object_get(lock, "holders"), 0);
	double both = e2e_component(report, 2, "lock") + e2e_component(report, 2, "system"), factor;

	if (both < e2e_component(report, 2, e2e_largest_loss(report, 2, &factor)))
		return "waiting for a lock and the kernel's time are not the largest loss";
	if (strcmp(e2e_verdict(report, "lock-contention"), "ruled-out") == 0)
		return "lock contention is ruled out";
	if (strcmp(json_string_value(json_object_get(lock, "kind")), "directory-lock") != 0)
		return "the lock is not the directory's";
	return strcmp(json_string_value(json_object_get(holder, "function")), "use_directory")
		       ? "its holder is not use_directory()"
		       : NULL;
}

/* One at a time makes a name in a directory. A part of that only is done below its lock, a smaller
 * one with every kernel, and a thread that waits for it looks for its end in the kernel before it
 * sleeps: both together are the largest loss. */
static void waiting_for_a_directory_names_its_lock(void **state)
{
	struct tries t = {.test = __func__};

	while (tries_next(&t)) {
		const json_t *const report =
			diagnose(*state, __func__, "kernel_locks", "0.5", "directory");
		const char *const seen = directory_missed(report);

		if (seen)
			e2e_show(report);
		tries_tell(&t, seen);
	}
}

static void sleeping_is_neither_serial_code_nor_a_lock(void **state)
{
	const json_t *const report = expect(
		*state, __func__, "sleeps", "0.15", NULL, &(struct sign){.component = "sleep"});

	assert_false(is_named(e2e_verdict(report, "serial-code")));
	assert_false(is_named(e2e_verdict(report, "lock-contention")));
	assert_false(is_named(e2e_verdict(report, "disk")));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds one small write and fsync takes in the test's folder. */
static double cost_of_fsync(struct e2e *e)
{
	const int fd = open(e2e_path(e, "sync"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	const double start = now();

	assert_true(fd >= 0);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(write(fd, "0123456789abcdef", 16), 16);
		assert_int_equal(fsync(fd), 0);
	}
	close(fd);
	return (now() - start) / 20;
}

static void waiting_for_fsync_is_the_disk(void **state)
{
	const double cost = cost_of_fsync(*state);
	char count[32];

	if (cost < 1e-3)
		e2e_skip(__func__, "an fsync costs less than 1 ms here: memory, or a cache that "
				   "answers at once");
	snprintf(count, sizeof count, "%d", cost < 0.2 ? (int)(0.2 / cost) : 1);
	expect(*state, __func__, "fsync_bound", "0.05", count,
		&(struct sign){.component = "disk", .cause = "disk"});
}

/* Diagnoses the program that prints what it did in a fixed time. */
static const json_t *diagnose_rate(struct e2e *e, const char *how)
{
	struct e2e_result r;
	const json_t *report;

	e2e_run(e, &r, how, "--cores", "1,2", "--repeats", "5", "--json", "--",
		e2e_program(e, "rate"), "0.2");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	return report;
}

static void weak_scaling_counts_work_that_grows_with_the_cores(void **state)
{
	struct tries t = {.test = __func__};
	const json_t *report;

	e2e_need_two_cpus(__func__);
	/* it runs for a fixed time at any count: perfect weak scaling */
	while (tries_next(&t)) {
		report = diagnose_rate(*state, "--weak");
		assert_string_equal(json_string_value(json_object_get(
					    json_object_get(report, "program"), "scaling")),
			"weak");
		tries_tell(&t, is_open(report));
	}
}

static void a_printed_throughput_takes_the_place_of_time(void **state)
{
	struct tries t = {.test = __func__};
	const json_t *report;
	double speedup;

	e2e_need_two_cpus(__func__);
	while (tries_next(&t)) {
		report = diagnose_rate(*state, "--rate=throughput: ([0-9.]+)");
		/* by its time it would not scale at all: 1.0 */
		speedup = json_number_value(
			json_object_get(json_object_get(e2e_point(report, 2), "speedup"), "value"));
		tries_tell(&t, speedup > 1.5 && speedup < 2.5 ? is_open(report)
							      : "its speedup is not about 2");
	}
}

/* Split locks lock the bus on some CPUs: others lock both lines instead, and lose nothing. */
static void split_locks_lock_the_bus(void **state)
{
	struct tries t = {.test = __func__};
	struct e2e *const e = *state;
	struct e2e_result r;
	char text[160];

	e2e_need_split_locks(e, __func__);
	while (tries_next(&t)) {
		const json_t *report;

		e2e_run(e, &r, "--cores", "1,2", "--repeats", "5", "--experiments", "replicas",
			"--json", "--", e2e_program(e, "split_lock"), "{n}", "400000");
		e2e_expect_status(&r, 0);
		report = e2e_report(e, &r);
		e2e_result_free(&r);
		tries_tell(&t, missed(report, &(struct sign){.cause = "bus-locks"}, text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(a_pthread_program_that_scales_has_no_cause),
		E2E_TEST(an_openmp_program_that_scales_has_no_cause),
		E2E_TEST(a_program_that_scales_by_processes_has_no_cause),
		E2E_TEST(output_that_differs_every_time_does_not_keep_a_program_from_scaling),
		E2E_TEST(half_serial_is_serial_code),
		E2E_TEST(half_serial_in_openmp_is_serial_code),
		E2E_TEST(one_heavier_worker_is_load_imbalance),
		E2E_TEST(work_under_one_mutex_is_lock_contention),
		E2E_TEST(work_under_a_lock_on_a_file_is_lock_contention),
		E2E_TEST(waiting_for_an_object_of_the_kernel_is_lock_contention),
		E2E_TEST(waiting_for_a_directory_names_its_lock),
		E2E_TEST(sleeping_is_neither_serial_code_nor_a_lock),
		E2E_TEST(waiting_for_fsync_is_the_disk),
		E2E_TEST(weak_scaling_counts_work_that_grows_with_the_cores),
		E2E_TEST(a_printed_throughput_takes_the_place_of_time),
		E2E_TEST(split_locks_lock_the_bus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
