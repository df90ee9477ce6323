/*
 * Copies of a program that run at once: when they can, and what they say.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/experiment_runs.h"
#include "support/tries.h"

static double number_of(const json_t *e, const char *key, const char *part)
{
	return json_number_value(json_object_get(json_object_get(e, key), part));
}

/*
 * Two threads that write to one cache line lose to each other what two processes, which have no
 * line in common, do not: however busy the machine, the copies are not slower than the threads.
 */
static void copies_of_a_program_with_false_sharing_lose_less_than_its_threads(void **state)
{
	struct tries t = {.test = __func__};
	const json_t *report, *copies;
	double r, e;

	e2e_need_two_cpus(__func__);
	while (tries_next(&t)) {
		report = diagnose(*state, "replicas", "shares_a_line", "{n}");
		copies = experiment(report, "replicas");
		expect_counted(*state, report, "replicas", __func__);
		assert_true(number_of(copies, "time_ratio", "value") > 0);
		r = 1 / number_of(copies, "time_ratio", "value");
		e = number_of(e2e_point(report, 2), "efficiency", "value");
		tries_tell(&t, r > e ? NULL : "copies lose as much as threads");
	}
}

static void no_copy_is_faster_than_one_alone(void **state)
{
	struct tries t = {.test = __func__};
	const json_t *report, *copies;

	e2e_need_two_cpus(__func__);
	while (tries_next(&t)) {
		report = diagnose(*state, "replicas", "scales", "0.05");
		copies = experiment(report, "replicas");
		expect_counted(*state, report, "replicas", __func__);
		tries_tell(&t, number_of(copies, "time_ratio", "high") >= 1 - .05
				       ? NULL
				       : "a copy is faster than one alone");
	}
}

static void a_program_that_cannot_run_twice_at_once_is_skipped_with_its_reason(void **state)
{
	struct e2e *e = *state;
	static const char script[] = "mkdir lock || exit 9; sleep 0.1; rmdir lock";
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas,one-arena",
		"-o", "r.json", "--json", "--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_non_null(strstr(skipped(report, "replicas"), "exited with status 9"));
	assert_non_null(strstr(skipped(report, "replicas"), "--isolate"));
	/* the rest went on */
	expect_tried(e, report, "one-arena");
	e2e_result_free(&r);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--isolate",
		"-o", "s.json", "--json", "--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	assert_string_equal(skipped(e2e_report(e, &r), "replicas"), "");
	e2e_result_free(&r);
	assert_int_equal(access(e2e_path(e, "s.scalediag.copy1.d"), F_OK), -1);
}

static void copies_that_write_the_same_file_are_skipped(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--json",
		"--", "/bin/sh", "-c", "exec 5>>common; sleep 0.4");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(skipped(e2e_report(e, &r), "replicas"), "copies would overwrite"));
	e2e_result_free(&r);
}

static void a_file_that_copies_write_in_a_moment_is_seen_too(void **state)
{
	/* one after the other: who opens it while the other has it open is seen anyway */
	static const char script[] = "until mkdir turn 2>/dev/null; do sleep 0.02; done; "
				     "echo x >common; sleep 0.15; rmdir turn";
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--json",
		"--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(skipped(e2e_report(e, &r), "replicas"), "copies would overwrite"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--isolate",
		"--json", "--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	assert_string_equal(skipped(e2e_report(e, &r), "replicas"), "");
	e2e_result_free(&r);
}

/* The folder is not ours alone: a log is written beside the runs. */
static void what_others_write_in_the_folder_costs_no_experiment(void **state)
{
	static const char script[] = "echo x >mine.$$; sleep 0.15; rm mine.$$";
	struct e2e *e = *state;
	struct e2e_result r;
	pid_t logger;

	e2e_need_two_cpus(__func__);
	logger = fork();
	assert_true(logger >= 0);
	while (logger == 0) {
		const int fd = open(e2e_path(e, "log"), O_WRONLY | O_CREAT | O_APPEND, 0600);

		if (fd < 0 || write(fd, "x\n", 2) != 2)
			_exit(1);
		close(fd);
		usleep(5000);
	}
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--json",
		"--", "/bin/sh", "-c", script);
	kill(logger, SIGKILL);
	waitpid(logger, NULL, 0);
	e2e_expect_status(&r, 0);
	assert_string_equal(skipped(e2e_report(e, &r), "replicas"), "");
	e2e_result_free(&r);
}

/* Every run has more to do than the one before: by far more between the quartiles of five of them
 * than any noise. */
static void a_program_whose_work_depends_on_what_went_before_is_not_compared(void **state)
{
	static const char script[] = "n=$(cat n); n=$((n + 1)); echo $n >n; i=0; "
				     "while [ $i -lt $((n * n * 3000)) ]; do i=$((i + 1)); done; "
				     "echo $n";
	static const char *const compared[] = {"replicas", "one-arena"};
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	e2e_write(e2e_path(e, "n"), "0");
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "5", "--samples", "none", "--experiments",
		"replicas,one-arena,add-loop", "--json", "--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	/* copies have another reason, where a look at the program met its file while it was open */
	for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
		if (!strstr(skipped(report, compared[i]), "differs from run to run") &&
			!(i == 0 && strstr(skipped(report, "replicas"), "would overwrite")))
			fail_msg("%s: %s", compared[i], skipped(report, compared[i]));
	/* the program is not in this one, but a busy machine may show no clock */
	if (strstr(skipped(report, "add-loop"), "were preempted, had CPU time stolen"))
		e2e_skip(__func__, skipped(report, "add-loop"));
	assert_string_equal(skipped(report, "add-loop"), "");
}

/* A folder of a copy that was left is ours to remove; the rest goes on where it is not. */
static void folders_of_copies_that_cannot_be_made_skip_the_copies_only(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	assert_int_equal(mkdir(e2e_path(e, "r.scalediag.copy1.d"), 0700), 0);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--isolate", "-o", "r.json",
		"--experiments", "replicas,one-arena", "--json", "--", "/bin/sh", "-c",
		"sleep 0.02");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_non_null(strstr(skipped(report, "replicas"), "could not be made"));
	assert_non_null(strstr(r.err, "r.scalediag.copy1.d"));
	expect_tried(e, report, "one-arena");
	e2e_result_free(&r);
	assert_int_equal(access(e2e_path(e, "r.scalediag.copy1.d"), F_OK), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(copies_of_a_program_with_false_sharing_lose_less_than_its_threads),
		TEST(no_copy_is_faster_than_one_alone),
		TEST(a_program_that_cannot_run_twice_at_once_is_skipped_with_its_reason),
		TEST(copies_that_write_the_same_file_are_skipped),
		TEST(a_file_that_copies_write_in_a_moment_is_seen_too),
		TEST(what_others_write_in_the_folder_costs_no_experiment),
		TEST(a_program_whose_work_depends_on_what_went_before_is_not_compared),
		TEST(folders_of_copies_that_cannot_be_made_skip_the_copies_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
