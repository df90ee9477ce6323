/*
 * Programs that fail, hang, flood or hide: the right exit status, one line that says it, nothing
 * lost and nobody left behind.
 */
#include "e2e/e2e.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Some line of the standard error has this text. */
static void expect_said(const struct e2e_result *r, const char *text)
{
	if (!strstr(r->err, text))
		fail_msg("'%s' is not on stderr:\n%.4000s", text, r->err);
}

static void a_program_that_is_not_there_fails_before_anything_is_written(void **state)
{
	static const struct {
		const char *program, *says;
	} row[] = {
		{"./nothing", "nothing"},
		{"no-such-program-anywhere", "no command of scalediag"},
		{"/etc/passwd/x", "/etc/passwd/x"},
		{"/", "folder"},
		{"./plain", "plain"},
		{"plain", "plain"},
	};
	struct e2e *const e = *state;

	e2e_write(e2e_path(e, "plain"), "no program\n");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct e2e_result r;

		e2e_run(e, &r, "--cores", "1", "-o", "r.json", row[i].program);
		e2e_expect_status(&r, 3);
		e2e_expect_error(&r, row[i].says);
		assert_int_equal(access(e2e_path(e, "r.json"), F_OK), -1);
		e2e_result_free(&r);
	}
}

static void a_file_the_kernel_cannot_execute_is_explained(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{"", "empty"},
		{"echo no interpreter named\n", "#!"},
		{"#!/no/such/interpreter\n", "/no/such/interpreter"},
	};
	struct e2e *const e = *state;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct e2e_result r;

		e2e_write(e2e_path(e, "file"), row[i].text);
		assert_int_equal(chmod(e2e_path(e, "file"), 0755), 0);
		e2e_run(e, &r, "--cores", "1", "./file");
		e2e_expect_status(&r, 3);
		expect_said(&r, row[i].says);
		/* nothing was measured */
		assert_int_equal(access(e2e_path(e, "file.scalediag.json"), F_OK), -1);
		assert_int_equal(access(e2e_path(e, "file.scalediag.out"), F_OK), -1);
		assert_int_equal(access(e2e_path(e, "file.scalediag.err"), F_OK), -1);
		e2e_result_free(&r);
	}
}

static void a_crash_is_named_by_its_signal(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", e2e_program(e, "crashes"), "0.01");
	e2e_expect_status(&r, 3);
	e2e_expect_error(&r, "signal 11");
	assert_int_equal(access(e2e_path(e, "crashes.scalediag.json"), F_OK), -1);
	e2e_result_free(&r);
}

static void a_failure_at_two_cores_only_is_kept_with_the_runs_before_it(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *runs;
	json_t *record;
	size_t n;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "5", "--json", "-o", "r.json",
		e2e_program(e, "fails_at_two"), "0.02");
	e2e_expect_status(&r, 3);
	expect_said(&r, "7");
	expect_said(&r, "two is one too many");
	/* nothing, or a whole report of the runs at one core: the order of runs is random */
	if (r.n_out > 0)
		e2e_report(e, &r);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	runs = json_object_get(record, "runs");
	n = json_array_size(runs);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++) {
		const json_int_t code =
			json_integer_value(json_object_get(json_array_get(runs, i), "code"));

		assert_int_equal(code, i + 1 < n ? 0 : 7);
	}
	json_decref(record);
}

/* Runs a program that never ends; `n` processes of it say their numbers. On a busy machine they
 * need more time for that than the shortest timeout gives. */
static void expect_ended_at_timeout(struct e2e *e, const char *program, size_t n)
{
	static const char *const timeout[] = {"0.3", "2", "10"};
	pid_t pid[64];

	for (size_t i = 0; i < 3; i++) {
		const double start = now();
		struct e2e_result r;
		char said[16];

		unlink(e2e_path(e, "pids"));
		e2e_run(e, &r, "--cores", "1", "--timeout", timeout[i], e2e_program(e, program),
			"pids");
		assert_true(now() - start >= strtod(timeout[i], NULL));
		e2e_expect_status(&r, 3);
		snprintf(said, sizeof said, "%s s", timeout[i]);
		expect_said(&r, said);
		e2e_result_free(&r);
		e2e_expect_gone(e2e_path(e, "pids"), 0);
		if (e2e_pids(e2e_path(e, "pids"), pid, 64) >= n)
			break;
	}
	e2e_expect_gone(e2e_path(e, "pids"), n);
}

static int set_clock_back(void *ctx)
{
	return setenv("LD_PRELOAD", e2e_program(ctx, "../faults.so"), 1) ||
	       setenv("SD_FAULT", "earlier:9", 1);
}

#define NTH_RUN "#!/bin/sh\nn=$(cat n 2>/dev/null || echo 0)\necho $((n + 1)) >n\n"
#define WORK(amount) "i=" amount "\nwhile [ $i -gt 0 ]; do i=$((i - 1)); done\n"

/* One thread, so that nothing makes it scale, however its times look. */
static void whatever_the_times_do_there_is_an_answer(void **state)
{
	static const struct {
		const char *script, *budget;
		int clock_jumps;
	} row[] = {
		{NTH_RUN WORK("$((n % 3 ? 150000 : 450000))"), "6", 0}, /* three times as long */
		{NTH_RUN WORK("$((100000 + 30000 * n))"), "6", 0},      /* longer each time */
		{NTH_RUN WORK("150000") "[ $n != 3 ] || { (sleep 3; kill -CONT $$) & kill -STOP "
					"$$; }\n",
			"8", 0},
		{NTH_RUN WORK("150000"), "6", 1},
		{NTH_RUN WORK("600000"), "0.1", 0}, /* less than a run */
	};
	struct e2e *const e = *state;

	e2e_need_two_cpus(__func__);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct e2e_result r;

		if (row[i].clock_jumps && E2E_SANITIZED)
			continue; /* whose library must be the first that is preloaded */
		unlink(e2e_path(e, "n"));
		e2e_write(e2e_path(e, "script"), row[i].script);
		assert_int_equal(chmod(e2e_path(e, "script"), 0755), 0);
		e2e_run_hooked(e, &r, row[i].clock_jumps ? set_clock_back : NULL, e, "--cores",
			"1,2", "--budget", row[i].budget, "--json", "-o", "r.json", "./script");
		e2e_expect_status(&r, 0);
		e2e_report(e, &r);
		assert_false(json_is_true(json_object_get(e->report, "scales")));
		assert_true(json_string_length(json_object_get(
				    json_object_get(e->report, "view"), "answer")) > 0);
		assert_true(e2e_runs_in(e2e_path(e, "r.json")) >= 3);
		e2e_result_free(&r);
	}
}

static void a_hanging_program_is_ended_at_its_timeout(void **state)
{
	expect_ended_at_timeout(*state, "hangs", 1);
}

static void a_tree_that_ignores_signals_is_gone_after_the_timeout(void **state)
{
	expect_ended_at_timeout(*state, "stubborn", 3);
}

static void children_left_behind_are_ended_and_said(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *report;

	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "--json", e2e_program(e, "orphans"),
		"pids");
	e2e_expect_status(&r, 0);
	e2e_expect_gone(e2e_path(e, "pids"), 2);
	report = e2e_report(e, &r);
	assert_true(json_array_size(json_object_get(report, "warnings")) > 0);
	e2e_result_free(&r);
}

/* A program that has left its work to a daemon has no work of its own to measure. If others have
 * the CPUs, the daemon of a run may not have begun to work when it is looked at: nothing is decided
 * then. */
static void a_program_that_goes_on_in_the_background_is_refused(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	int refused = 0;

	for (int i = 0; i < 3 && !refused; i++) {
		e2e_run(e, &r, "--cores", "1,2", "--repeats", "5", "--experiments", "none", "--",
			e2e_program(e, "daemon"), "5");
		refused = r.status != 0;
		if (refused) {
			e2e_expect_status(&r, 4);
			assert_non_null(strstr(r.err, "went on working (a daemon)"));
			assert_non_null(strstr(r.err, "foreground"));
		} else {
			assert_null(strstr(r.out, "Scales"));
			assert_null(strstr(r.out, "Poor scaling"));
			assert_null(strstr(r.out, "Negative scaling"));
			assert_non_null(strstr(r.out, "in the foreground"));
		}
		e2e_result_free(&r);
	}
	assert_true(refused);
}

static void a_hundred_megabytes_of_output_do_not_reach_ours(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "--repeats", "1", "--json", e2e_program(e, "floods"));
	e2e_expect_status(&r, 0);
	assert_true(r.n_out < 1000000);
	e2e_report(e, &r);
	e2e_result_free(&r);
}

static void shown_output_arrives_whole(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	size_t lines = 0;

	e2e_run(e, &r, "--show-output", "--cores", "1", "--repeats", "1", "--", "/bin/sh", "-c",
		"echo to stdout; echo to stderr >&2");
	e2e_expect_status(&r, 0);
	for (const char *p = r.out; (p = strstr(p, "to stdout\n")); p++)
		lines++;
	/* a warm-up, the run and the drift check; how many of them is the plan's business */
	assert_true(lines >= 1);
	expect_said(&r, "to stderr\n");
	e2e_result_free(&r);
}

static int is_utf8(const char *text, size_t n)
{
	json_t *const s = json_stringn(text, n);

	json_decref(s);
	return s != NULL;
}

static void output_and_arguments_that_are_not_utf8_change_nothing(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char *path = NULL;

	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "--json", "-o", "r.json", "--env",
		"BYTES=\xff", e2e_program(e, "mangles"), "0.01", "\xff\xfe \x1b[31m");
	e2e_expect_status(&r, 0);
	e2e_report(e, &r);
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "r.json");
	e2e_expect_status(&r, 0);
	/* nothing that a terminal could take for a command, nor half a character */
	assert_null(strchr(r.out, '\x1b'));
	assert_true(is_utf8(r.out, r.n_out));
	e2e_result_free(&r);
	assert_true(asprintf(&path, "%s/%s", e->folder, "mangles") > 0);
	free(path);
}

static void a_rate_that_is_not_printed_is_a_failure(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--rate", "ops: ([0-9.]+)", "--cores", "1", "--repeats", "1",
		e2e_program(e, "rate"), "0.02");
	e2e_expect_status(&r, 3);
	expect_said(&r, "--rate");
	e2e_result_free(&r);
}

static void prepare_runs_before_every_run_and_its_failure_is_said(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char *text;
	size_t n;

	e2e_run(e, &r, "--prepare", "sh -c 'echo {n} >> prepared'", "--cores", "1", "--repeats",
		"2", e2e_program(e, "scales"), "0.01");
	e2e_expect_status(&r, 0);
	text = e2e_read(e2e_path(e, "prepared"), &n);
	assert_non_null(text);
	assert_true(n >= 4);
	assert_memory_equal(text, "1\n1\n", 4);
	free(text);
	e2e_result_free(&r);
	e2e_run(e, &r, "--prepare", "false", "--cores", "1", e2e_program(e, "scales"), "0.01");
	e2e_expect_status(&r, 4);
	expect_said(&r, "--prepare");
	expect_said(&r, "it printed nothing");
	assert_int_equal(access(e2e_path(e, "scales.scalediag.prepare.err"), F_OK), -1);
	e2e_result_free(&r);
	/* what is pointed to is there */
	e2e_run(e, &r, "--prepare", "ls /no/such/folder", "--cores", "1", e2e_program(e, "scales"),
		"0.01");
	e2e_expect_status(&r, 4);
	expect_said(&r, "its errors: scales.scalediag.prepare.err (last line: ls:");
	assert_int_equal(access(e2e_path(e, "scales.scalediag.prepare.err"), F_OK), 0);
	e2e_result_free(&r);
}

static void the_core_count_reaches_arguments_and_environment(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char *text;
	size_t n;

	e2e_run(e, &r, "--env", "MINE=x{n}y", "--cores", "1", "--repeats", "1", "--", "/bin/sh",
		"-c", "echo $0 $MINE $OMP_NUM_THREADS > seen", "{n}-{n}");
	e2e_expect_status(&r, 0);
	text = e2e_read(e2e_path(e, "seen"), &n);
	assert_non_null(text);
	assert_string_equal(text, "1-1 x1y 1\n");
	free(text);
	e2e_result_free(&r);
	e2e_run(e, &r, "--no-env", "--cores", "1", "--repeats", "1", "--", "/bin/sh", "-c",
		"echo ${OMP_NUM_THREADS-unset} > seen");
	e2e_expect_status(&r, 0);
	text = e2e_read(e2e_path(e, "seen"), &n);
	assert_non_null(text);
	assert_string_equal(text, "unset\n");
	free(text);
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(a_program_that_is_not_there_fails_before_anything_is_written),
		E2E_TEST(a_file_the_kernel_cannot_execute_is_explained),
		E2E_TEST(a_crash_is_named_by_its_signal),
		E2E_TEST(a_failure_at_two_cores_only_is_kept_with_the_runs_before_it),
		E2E_TEST(whatever_the_times_do_there_is_an_answer),
		E2E_TEST(a_hanging_program_is_ended_at_its_timeout),
		E2E_TEST(a_tree_that_ignores_signals_is_gone_after_the_timeout),
		E2E_TEST(children_left_behind_are_ended_and_said),
		E2E_TEST(a_program_that_goes_on_in_the_background_is_refused),
		E2E_TEST(a_hundred_megabytes_of_output_do_not_reach_ours),
		E2E_TEST(shown_output_arrives_whole),
		E2E_TEST(output_and_arguments_that_are_not_utf8_change_nothing),
		E2E_TEST(a_rate_that_is_not_printed_is_a_failure),
		E2E_TEST(prepare_runs_before_every_run_and_its_failure_is_said),
		E2E_TEST(the_core_count_reaches_arguments_and_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
