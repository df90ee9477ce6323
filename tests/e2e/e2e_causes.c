/*
 * Programs whose cause is known, at one and two cores: the report names it. The effects are large,
 * so that what is asserted holds on a shared machine; where it does not and the report itself says
 * that the machine was disturbed, the test skips in its words.
 */
#include "e2e/e2e.h"
#include "support/first_screen.h"

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

static void expect_loss(const json_t *report, const char *component, const char *test)
{
	double factor;
	const char *const largest = e2e_largest_loss(report, 2, &factor);

	if (strcmp(largest, component) == 0 && factor >= CLEARLY)
		return;
	e2e_skip_when_disturbed(report, test);
	e2e_skip_when_widened(report, test);
	e2e_show(report);
	fail_msg("the largest loss is %s, %.2f times the next, not %s", largest, factor, component);
}

static void expect_named(const json_t *report, const char *cause, const char *test)
{
	const char *const verdict = e2e_verdict(report, cause);

	if (is_named(verdict) && json_is_false(json_object_get(report, "scales")))
		return;
	e2e_skip_when_disturbed(report, test);
	if (strcmp(verdict, "possible") == 0)
		e2e_skip_when_widened(report, test);
	e2e_show(report);
	fail_msg("%s is %s, neither likely nor confirmed", cause, verdict);
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

static void expect_scales(const json_t *report, const char *test)
{
	expect_nothing_named(report);
	if (!json_is_true(json_object_get(report, "scales")))
		e2e_skip_when_disturbed(report, test);
	assert_true(json_is_true(json_object_get(report, "scales")));
}

/* s of work: a kernel may leave a new thread or process on the CPU of the one that made it (seen: 3
 * to 17 ms of waiting for a CPU), which in a tenth of a second is a loss. */
#define SCALES_S "0.5"

static void a_pthread_program_that_scales_has_no_cause(void **state)
{
	const json_t *const report = diagnose(*state, __func__, "scales", SCALES_S, NULL);

	expect_scales(report, __func__);
}

static void an_openmp_program_that_scales_has_no_cause(void **state)
{
	const json_t *const report = diagnose(*state, __func__, "scales_omp", SCALES_S, NULL);

	expect_scales(report, __func__);
}

static void a_program_that_scales_by_processes_has_no_cause(void **state)
{
	const json_t *const report = diagnose(*state, __func__, "forks", SCALES_S, NULL);

	expect_scales(report, __func__);
}

static void output_that_differs_every_time_does_not_keep_a_program_from_scaling(void **state)
{
	const json_t *const report = diagnose(*state, __func__, "unstable", SCALES_S, NULL);

	expect_scales(report, __func__);
}

static void half_serial_is_serial_code(void **state)
{
	const json_t *const report = diagnose(*state, __func__, "half_serial", "0.2", NULL);

	expect_loss(report, "serial", __func__);
	expect_named(report, "serial-code", __func__);
}

static void half_serial_in_openmp_is_serial_code(void **state)
{
	const json_t *report;

	/* libgomp's threads spin for some milliseconds before they sleep: that part of the serial
	 * time is user time to any clock, and growth in the stack */
	assert_int_equal(setenv("OMP_WAIT_POLICY", "passive", 1), 0);
	report = diagnose(*state, __func__, "half_serial_omp", "0.2", NULL);
	unsetenv("OMP_WAIT_POLICY");
	expect_loss(report, "serial", __func__);
	expect_named(report, "serial-code", __func__);
}

static void one_heavier_worker_is_load_imbalance(void **state)
{
	const json_t *const report = diagnose(*state, __func__, "imbalanced", "0.2", NULL);

	expect_loss(report, "imbalance", __func__);
	expect_named(report, "load-imbalance", __func__);
}

static void work_under_one_mutex_is_lock_contention(void **state)
{
	const json_t *const report = diagnose(*state, __func__, "mutex_bound", "0.2", NULL);

	expect_loss(report, "lock", __func__);
	expect_named(report, "lock-contention", __func__);
}

static void work_under_a_lock_on_a_file_is_lock_contention(void **state)
{
	static const char *const how[] = {"whole", "record"};

	for (size_t i = 0; i < 2; i++) {
		const json_t *const report = diagnose(*state, __func__, "file_lock", "0.3", how[i]);

		expect_loss(report, "lock", __func__);
		expect_named(report, "lock-contention", __func__);
	}
}

/* One at a time uses a descriptor's position, writes a file, or makes a name in a directory. */
static void waiting_for_an_object_of_the_kernel_is_lock_contention(void **state)
{
	static const char *const kinds[] = {"position", "inode", "directory"};

	for (size_t i = 0; i < 3; i++) {
		const json_t *const report =
			diagnose(*state, __func__, "kernel_locks", "0.5", kinds[i]);

		/* writing and making names costs the kernel more with every CPU, besides */
		if (i == 0)
			expect_loss(report, "lock", __func__);
		expect_named(report, "lock-contention", __func__);
	}
}

static void sleeping_is_neither_serial_code_nor_a_lock(void **state)
{
	const json_t *const report = diagnose(*state, __func__, "sleeps", "0.15", NULL);

	expect_loss(report, "sleep", __func__);
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
	const json_t *report;

	if (cost < 1e-3)
		e2e_skip(__func__, "an fsync costs less than 1 ms here: memory, or a cache that "
				   "answers at once");
	snprintf(count, sizeof count, "%d", cost < 0.2 ? (int)(0.2 / cost) : 1);
	report = diagnose(*state, __func__, "fsync_bound", "0.05", count);
	expect_loss(report, "disk", __func__);
	expect_named(report, "disk", __func__);
}

static void weak_scaling_counts_work_that_grows_with_the_cores(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	/* the rate program runs for a fixed time at any count: perfect weak scaling */
	e2e_run(e, &r, "--weak", "--cores", "1,2", "--repeats", "5", "--json",
		e2e_program(e, "rate"), "0.2");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(report, "program"), "scaling")),
		"weak");
	expect_scales(report, __func__);
}

static void a_printed_throughput_takes_the_place_of_time(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *report;
	double speedup;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--rate", "throughput: ([0-9.]+)", "--cores", "1,2", "--repeats", "5",
		"--json", e2e_program(e, "rate"), "0.2");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	e2e_skip_when_disturbed(report, __func__);
	expect_scales(report, __func__);
	/* by its time it would not scale at all: 1.0 */
	speedup = json_number_value(
		json_object_get(json_object_get(e2e_point(report, 2), "speedup"), "value"));
	assert_true(speedup > 1.5 && speedup < 2.5);
}

/* Split locks lock the bus on some CPUs: others lock both lines instead, and lose nothing. */
static void split_locks_lock_the_bus(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "5", "--experiments", "replicas", "--json",
		"--", e2e_program(e, "split_lock"), "{n}", "400000");
	if (r.status == 3) {
		e2e_result_free(&r);
		e2e_skip(
			__func__, "the CPU, the kernel or the hypervisor lets nobody lock the bus");
	}
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	if (e2e_component(report, 2, "growth") < .3)
		e2e_skip(__func__, "this CPU's split locks slow nobody else down");
	if (strcmp(e2e_verdict(report, "bus-locks"), "likely") == 0)
		return;
	e2e_skip_when_disturbed(report, __func__);
	e2e_skip_when_widened(report, __func__);
	fail_msg("bus locks are %s", e2e_verdict(report, "bus-locks"));
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
		E2E_TEST(sleeping_is_neither_serial_code_nor_a_lock),
		E2E_TEST(waiting_for_fsync_is_the_disk),
		E2E_TEST(weak_scaling_counts_work_that_grows_with_the_cores),
		E2E_TEST(a_printed_throughput_takes_the_place_of_time),
		E2E_TEST(split_locks_lock_the_bus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
