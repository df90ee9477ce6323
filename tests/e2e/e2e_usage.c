/*
 * The command line as a new user meets it: help, plans, mistakes, and the progress line.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "e2e/e2e.h"

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void help_begins_with_what_it_is_then_shows_examples(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const char *example, *option;

	e2e_run(e, &r, "--help");
	e2e_expect_status(&r, 0);
	assert_int_equal(strncmp(r.out, "Find out why", 12), 0);
	example = strstr(r.out, "  scalediag ");
	option = strstr(r.out, "--cores");
	assert_true(example && option && example < option);
	assert_null(strstr(r.out, "--seed")); /* a screen of 24 lines has the daily ones */
	assert_in_range(lines_of(r.out), 10, 24);
	assert_int_equal(r.n_err, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "--help=all");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "--seed"));
	assert_non_null(strstr(r.out, "OMP_NUM_THREADS"));
	assert_non_null(strstr(r.out, "130"));
	e2e_result_free(&r);
	e2e_run(e, &r, "help"); /* the first page: a screen or so, without the options */
	e2e_expect_status(&r, 0);
	assert_int_equal(strncmp(r.out, "Find out why", 12), 0);
	assert_non_null(strstr(r.out, "\n  compare "));
	assert_non_null(strstr(r.out, "\n  software-pmu "));
	assert_null(strstr(r.out, "--timeout"));
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--help");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "--format"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--version");
	e2e_expect_status(&r, 0);
	assert_int_equal(strncmp(r.out, "scalediag ", 10), 0);
	e2e_result_free(&r);
}

static void a_wrong_command_line_is_one_line_and_exit_2(void **state)
{
	static const struct {
		const char *args[8], *says;
	} row[] = {
		{{NULL}, "no program given"},
		{{"run"}, "no program given"},
		{{"--"}, "no program given"},
		{{"--cores", "0", "true"}, "--cores '0'"},
		{{"--cores", "1,,2", "true"}, "--cores '1,,2'"},
		{{"--cores", "2-1", "true"}, "--cores '2-1'"},
		{{"--cores", "-1", "true"}, "'-1' is a range without one of its ends"},
		{{"--cores", "1,2-", "true"}, "'2-' is a range without one of its ends"},
		{{"-o", "-", "true"}, "--output '-'"},
		{{"--cores", "1,1", "true"}, "--cores '1,1'"},
		{{"--cores", "4294967296", "true"}, "--cores '4294967296'"},
		{{"--cores", "1,60000", "true"}, "nothing to compare"},
		{{"calibrate", "trid"}, "did you mean 'triad'?"},
		{{"--cores", "+2", "true"}, "--cores '+2'"},
		{{"--cores", " 2", "true"}, "--cores ' 2'"},
		{{"--cores", "1e3", "true"}, "--cores '1e3'"},
		{{"--cores", "", "true"}, "--cores ''"},
		{{"--cores", "65536", "true"}, "granted"},
		{{"--cores"}, "--cores"},
		{{"--corse", "1", "true"},
			"--corse: scalediag run has no such option; did you mean --cores?"},
		{{"--zzzz", "true"}, "see scalediag run --help"},
		{{"--runs", "5", "true"}, "it is --repeats"},
		{{"--threads=4", "true"}, "it is --cores"},
		{{"--long", "true"}, "it is scalediag report --long RECORD"},
		{{"-n4", "true"}, "-n: scalediag run has no such option; it is --cores"},
		{{"--budget", "5x", "true"}, "must be a time from 0.001"},
		{{"--help=some", "true"}, "--help"},
		{{"reprot", "a"}, "did you mean 'scalediag report'?"},
		{{"chekc"}, "did you mean 'scalediag check'?"},
		{{"help", "limts"}, "did you mean 'limits'?"},
		{{"help", "repotr"}, "did you mean 'report'?"},
		{{"help", "report", "check"}, "one command or topic"},
		{{"-q", "true"}, "q"},
		{{"--weak=yes", "true"}, "--weak"},
		{{"--place", "near", "true"}, "--place 'near'"},
		{{"--repeats", "0", "true"}, "--repeats '0'"},
		{{"--budget", "-1", "true"}, "--budget '-1'"},
		{{"--timeout", "soon", "true"}, "--timeout 'soon'"},
		{{"--env", "x", "true"}, "--env 'x'"},
		{{"--cwd", "/no/such/folder", "true"}, "--cwd '/no/such/folder'"},
		{{"--rate", "[", "true"}, "--rate '['"},
		{{"--prepare", "a \"b", "true"}, "--prepare 'a \"b'"},
		{{"--rate", "ops", "true"}, "--rate 'ops'"},
		{{"--seed", "-1", "true"}, "--seed '-1'"},
		{{"--events", "os", "--multiplex", "true"}, "--multiplex"},
		{{"--events", "pmu", "true"}, "auto, hw, all, os, sim or model"},
		{{"--experiments", "replicas,magic", "true"}, "auto, none, all"},
		{{"-o", "", "true"}, "--output ''"},
		{{"--json", "--dry-run", "true"}, "--json"},
		{{"--resume", "r", "--cores", "1"}, "--cores"},
		{{"report"}, "no record given"},
		{{"report", "a", "b"}, "one record"},
		{{"compare", "a"}, "no other record given"},
		{{"compare"}, "no record given"},
		{{"compare", "a", "b", "c"}, "two records"},
		{{"compare", "--format", "csv", "a", "b"}, "--format 'csv'"},
		{{"check", "a"}, "nothing to check"},
		{{"check", "--require", "scales"}, "no record given"},
		{{"check", "--require", "speed>=1", "a"}, "--require 'speed>=1'"},
		{{"check", "--require", "no luck", "a"}, "--require 'no luck'"},
		{{"check", "--require", "no lock-contenton", "a"},
			"did you mean 'no lock-contention'?"},
		{{"calibrate", "latensy"}, "did you mean 'latency'?"},
		{{"--experiments", "replicas,paddin", "true"}, "did you mean 'padding'?"},
		{{"events", "--role", "cylces"}, "did you mean 'cycles'?"},
		{{"events", "--cpu", "zen44"}, "did you mean 'zen4'?"},
		{{"learn", "flase-sharing"}, "did you mean 'false-sharing'?"},
		{{"report", "--fromat", "json", "a"}, "did you mean --format?"},
		{{"check", "--tolerance", "3", "a"}, "--tolerance '3'"},
		{{"check", "--tolerance", "3%", "--require", "scales", "a"}, "--baseline"},
		{{"check", "--undecided", "maybe", "a"}, "--undecided 'maybe'"},
		{{"report", "--format", "xml", "a"}, "--format 'xml'"},
		{{"report", "--width", "0", "a"}, "--width '0'"},
		{{"report", "--no-such", "a"}, "--no-such"},
	};
	struct e2e *const e = *state;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct e2e_result r;

		e2e_run_args(e, &r, NULL, NULL, row[i].args);
		e2e_expect_status(&r, 2);
		e2e_expect_error(&r, row[i].says);
		assert_int_equal(r.n_out, 0);
		e2e_result_free(&r);
	}
}

/* Words that are an option's value, a program or its arguments are not looked at. */
static void only_options_are_looked_at_for_typing_errors(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--dry-run", "--cores", "1", "--prepare", "--corse", "true", "--corse");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "--dry-run", "--cores=1", "--", "./--corse-{n}");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	/* a program that is there is one, whatever it is called */
	e2e_copy("/bin/true", e2e_path(e, "reprot"), 0755);
	e2e_run(e, &r, "./reprot", "--cores", "1");
	assert_int_not_equal(r.status, 2);
	e2e_result_free(&r);
}

/* Words that only a shell acts on are told, in one argument or alone; a program may have them. */
static void a_shell_s_words_are_told(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--dry-run", "--cores=1,2", "--", "sleep", "0.1", "|", "sort");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.err, "'|' goes to the program as it stands"));
	assert_non_null(strstr(r.err, "scalediag -- sh -c 'sleep 0.1 | sort'"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--dry-run", "--cores=1", "--", "sleep 0.1 | sort");
	assert_int_not_equal(r.status, 0);
	assert_non_null(strstr(r.err, "-- sh -c 'sleep 0.1 | sort'"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--dry-run", "--cores=1", "--", "sleep", "a|b", "-");
	e2e_expect_status(&r, 0);
	assert_int_equal(r.n_err, 0);
	e2e_result_free(&r);
}

static void a_word_that_stands_for_no_number_is_told(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--dry-run", "--cores=1,2", "--", "sleep", "{cores}");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.err, "'{cores}' goes to the program as it stands: {n}"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--dry-run", "--cores=1,2", "--", "sleep", "{ranks}");
	assert_non_null(strstr(r.err, "a number with --ranks"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--dry-run", "--cores=1,2", "--", "sleep", "{n}", "{}", "${x}");
	e2e_expect_status(&r, 0);
	assert_int_equal(r.n_err, 0);
	e2e_result_free(&r);
}

static void every_command_says_its_help_and_its_version(void **state)
{
	static const char *const commands[] = {"run", "calibrate", "report", "compare", "check",
		"events", "doctor", "lines", "fix", "learn", "import", "history", "fleet", "attach",
		"rank-agent", "help"};
	struct e2e *const e = *state;
	struct e2e_result version, r, help;

	e2e_run(e, &version, "--version");
	e2e_expect_status(&version, 0);
	assert_non_null(strstr(version.out, "\ncommit "));
	assert_non_null(strstr(version.out, "\nlibraries "));
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		e2e_run(e, &r, commands[i], "--version");
		e2e_expect_status(&r, 0);
		assert_string_equal(r.out, version.out);
		e2e_result_free(&r);
		e2e_run(e, &r, commands[i], "--help=all");
		e2e_expect_status(&r, 0);
		assert_non_null(strstr(r.out, "\n  scalediag "));
		e2e_run(e, &help, "help", commands[i]);
		/* report and learn are topics, too: their page comes before */
		assert_true(help.n_out >= r.n_out);
		assert_string_equal(help.out + help.n_out - r.n_out, r.out);
		e2e_result_free(&r);
		e2e_result_free(&help);
	}
	e2e_result_free(&version);
}

static void a_dry_run_prints_the_same_plan_and_writes_nothing(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r, again;

	e2e_run(e, &r, "--dry-run", "--seed", "5", "--cores", "1", "./not-there-{n}");
	e2e_expect_status(&r, 0);
	assert_true(r.n_out > 0);
	e2e_run(e, &again, "--seed=5", "--cores=1", "--dry-run", "--", "./not-there-{n}");
	assert_string_equal(r.out, again.out);
	assert_int_equal(access(e2e_path(e, "not-there-{n}.scalediag.json"), F_OK), -1);
	e2e_result_free(&r);
	e2e_result_free(&again);
}

static void counts_above_the_granted_are_skipped_with_a_word(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		e2e_skip(__func__, "one CPU: no two counts fit");
	e2e_run(e, &r, "--dry-run", "--cores", "1,2,60000", "true");
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, "60000");
	assert_non_null(strstr(r.err, "--oversubscribe"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--dry-run", "--cores", "1,300", "--oversubscribe", "true");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "300"));
	e2e_result_free(&r);
}

static void more_threads_than_cpus_keep_the_stack_of_their_cpus(void **state)
{
	struct e2e *const e = *state;
	const json_t *point;
	struct e2e_result r;
	double n;

	e2e_run(e, &r, "--cores", "1,300", "--oversubscribe", "--repeats", "2", "--json",
		e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	point = e2e_point(e2e_report(e, &r), 300);
	n = json_number_value(json_object_get(point, "n"));
	assert_true(n >= 1 && n < 300);
	e2e_result_free(&r);
}

static void a_budget_ends_the_runs_and_not_the_diagnosis(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	/* without it, ten runs and more of a program that takes less than 2 s */
	e2e_run(e, &r, "--cores", "1", "--budget", "0.5", "--json", e2e_program(e, "scales"),
		"0.2");
	e2e_expect_status(&r, 0);
	e2e_report(e, &r);
	assert_true(json_number_value(json_object_get(e2e_point(e->report, 1), "runs")) < 10);
	e2e_result_free(&r);
}

static void a_quick_look_takes_five_runs_and_says_so(void **state)
{
	struct e2e *const e = *state;
	const json_t *report;
	struct e2e_result r;
	json_t *record;
	size_t runs;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		e2e_skip(__func__, "one CPU: there is one count");
	e2e_run(e, &r, "--quick", "--json", "-o", "quick.json", e2e_program(e, "scales"), "0.2");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_non_null(strstr(
		json_string_value(json_object_get(json_object_get(report, "view"), "more_time")),
		"Quick look"));
	record = json_load_file(e2e_path(e, "quick.json"), 0, NULL);
	runs = json_array_size(json_object_get(record, "runs"));
	json_decref(record);
	e2e_result_free(&r);
	assert_int_equal(runs, 5);
}

/* Targets that `scalediag attach` cannot look at. */
static void what_cannot_be_looked_at_is_said(void **state)
{
	static const struct {
		const char *args[6];
		int status;
		const char *says;
	} rows[] = {
		{{"attach"}, 2, "which program"},
		{{"attach", "x"}, 2, "not the number of a process"},
		{{"attach", "1", "--cgroup", "/x"}, 2, "one program at a time"},
		{{"attach", "1", "--cores", "1,2"}, 2, "--rate-command"},
		{{"attach", "1", "--window", "0"}, 2, "--window"},
		{{"attach", "1", "--rate", "x"}, 2, "--rate-command"},
		{{"attach", "4194305"}, 3, "no process 4194305"},
		{{"attach", "--systemd-unit", "no-such-unit-here"}, 3, "no-such-unit-here"},
		{{"attach", "--container", "xyz"}, 2, "cannot be one"},
		{{"attach", "--container", "0123456789abcdef"}, 3, "0123456789abcdef"},
		{{"attach", "--cgroup", "/no/such/group"}, 3, "/no/such/group"},
	};
	struct e2e *e = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct e2e_result r;

		e2e_run_args(e, &r, NULL, NULL, rows[i].args);
		e2e_expect_status(&r, rows[i].status);
		e2e_expect_error(&r, rows[i].says);
		e2e_result_free(&r);
	}
}

/* One that scalediag runs below would be looked at with the look itself. */
static void it_does_not_look_at_itself(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	char own[16];

	snprintf(own, sizeof own, "%d", (int)getpid());
	e2e_run(e, &r, "attach", own);
	e2e_expect_status(&r, 3);
	e2e_expect_error(&r, "itself");
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(help_begins_with_what_it_is_then_shows_examples),
		E2E_TEST(a_wrong_command_line_is_one_line_and_exit_2),
		E2E_TEST(only_options_are_looked_at_for_typing_errors),
		E2E_TEST(a_shell_s_words_are_told),
		E2E_TEST(a_word_that_stands_for_no_number_is_told),
		E2E_TEST(every_command_says_its_help_and_its_version),
		E2E_TEST(a_dry_run_prints_the_same_plan_and_writes_nothing),
		E2E_TEST(counts_above_the_granted_are_skipped_with_a_word),
		E2E_TEST(more_threads_than_cpus_keep_the_stack_of_their_cpus),
		E2E_TEST(a_budget_ends_the_runs_and_not_the_diagnosis),
		E2E_TEST(a_quick_look_takes_five_runs_and_says_so),
		E2E_TEST(what_cannot_be_looked_at_is_said),
		E2E_TEST(it_does_not_look_at_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
