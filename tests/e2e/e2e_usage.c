/*
 * The command line as a new user meets it: help, plans, mistakes, and the progress line.
 */
#include "e2e/e2e.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void help_begins_with_what_it_is_then_shows_examples(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const char *example, *option;

	e2e_run(e, &r, "--help");
	e2e_expect_status(&r, 0);
	assert_int_equal(strncmp(r.out, "scalediag ", 10), 0);
	example = strstr(r.out, "  scalediag ");
	option = strstr(r.out, "--cores");
	assert_true(example && option && example < option);
	assert_non_null(strstr(r.out, "OMP_NUM_THREADS"));
	assert_non_null(strstr(r.out, "130"));
	assert_int_equal(r.n_err, 0);
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
		{{"--rate", "ops", "true"}, "--rate 'ops'"},
		{{"--seed", "-1", "true"}, "--seed '-1'"},
		{{"--events", "os", "--multiplex", "true"}, "--multiplex"},
		{{"--events", "pmu", "true"}, "auto, hw, all, os or sim"},
		{{"--experiments", "replicas,magic", "true"}, "auto, none, all"},
		{{"-o", "", "true"}, "--output ''"},
		{{"--json", "--dry-run", "true"}, "--json"},
		{{"--resume", "r", "--cores", "1"}, "--cores"},
		{{"report"}, "no record given"},
		{{"report", "a", "b"}, "one record"},
		{{"compare", "a"}, "two records are needed"},
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

/* Of an option's value, of a program and of its arguments nothing is expected. */
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

static void every_command_says_its_help_and_its_version(void **state)
{
	static const char *const commands[] = {"run", "calibrate", "report", "compare", "check",
		"events", "doctor", "lines", "learn", "import", "history", "fleet", "help"};
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
		e2e_run(e, &r, commands[i], "--help");
		e2e_expect_status(&r, 0);
		assert_non_null(strstr(r.out, "\n  scalediag "));
		e2e_run(e, &help, "help", commands[i]);
		/* report and learn are topics, too: their page comes behind */
		assert_int_equal(strncmp(r.out, help.out, r.n_out), 0);
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

/* ---- on a terminal --------------------------------------------------------------------------- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int to_terminal(void *ctx)
{
	const char *const name = ctx;
	const int fd = open(name, O_RDWR | O_NOCTTY);

	unsetenv("NO_COLOR");
	return fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0 || setenv("TERM", "xterm", 1);
}

/*
 * All that a run prints to a terminal of 70 columns; calloc'ed. With `interrupt`, it gets SIGINT as
 * soon as that text is there.
 */
static char *on_terminal(struct e2e *e, const char *const *args, const char *interrupt, int *status)
{
	const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	const struct winsize w = {.ws_row = 24, .ws_col = 70};
	const size_t room = 1 << 20;
	char *const text = calloc(room, 1), name[64];
	const double end = now() + 60;
	struct e2e_job job;
	size_t n = 0;
	int terminal, ended = 0;

	assert_true(master >= 0 && text);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	assert_int_equal(ptsname_r(master, name, sizeof name), 0);
	/* held open here, so that nothing is lost when the child closes its own */
	terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(terminal >= 0);
	assert_int_equal(ioctl(terminal, TIOCSWINSZ, &w), 0);
	e2e_start(e, &job, to_terminal, name, args);
	while (!ended || poll(&(struct pollfd){.fd = master, .events = POLLIN}, 1, 0) > 0) {
		struct pollfd p = {.fd = master, .events = POLLIN};
		ssize_t got;

		assert_true(now() < end);
		if (!ended)
			ended = waitpid(job.pid, status, WNOHANG) == job.pid;
		if (poll(&p, 1, 50) <= 0)
			continue;
		got = read(master, text + n, room - n - 1);
		assert_true(got > 0);
		n += (size_t)got;
		if (interrupt && strstr(text, interrupt)) {
			kill(job.pid, SIGINT);
			interrupt = NULL;
		}
	}
	close(job.out);
	close(job.err);
	close(terminal);
	close(master);
	return text;
}

static void a_terminal_sees_progress_that_is_erased_before_the_report(void **state)
{
	struct e2e *const e = *state;
	const char *const args[] = {
		"--cores", "1", "--repeats", "2", e2e_program(e, "scales"), "0.25", NULL};
	int status = -1;
	char *const text = on_terminal(e, args, NULL, &status);
	const char *const line = strstr(text, "\rrun ");
	const char *erased;
	const char *report;

	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	if (!line)
		fail_msg("no progress line:\n%.2000s", text);
	report = strstr(text, "nothing to compare");
	assert_true(report && report > line);
	erased = strstr(line, "\r\033[K");
	assert_true(erased && erased < report);
	/* each state of the line fits the 70 columns: none was wrapped */
	for (const char *p = line; p && p < erased; p = strstr(p + 1, "\rrun ")) {
		size_t columns = 0;

		for (const char *c = p + 1; *c && *c != '\033'; c++)
			columns += ((unsigned char)*c & 0xc0) != 0x80;
		assert_true(columns < 70);
	}
	free(text);
}

static void an_interrupted_terminal_is_left_clean(void **state)
{
	struct e2e *const e = *state;
	const char *const args[] = {
		"--cores", "1", "-o", "r.json", e2e_program(e, "scales"), "0.25", NULL};
	int status = -1;
	char *const text = on_terminal(e, args, "run 3 of", &status);
	const char *last = NULL;

	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 130);
	for (const char *p = text; (p = strstr(p, "\rrun ")); p++)
		last = p;
	/* erased, then one line that says how to go on, and nothing after it */
	last = last ? strstr(last, "\r\033[K") : NULL;
	assert_non_null(last);
	last += strlen("\r\033[K");
	/* the table above it, too: a line up and erased for each core count */
	assert_int_equal(strncmp(last, "\033[A\033[K", 6), 0);
	last += 6;
	assert_ptr_equal(strstr(last, "scalediag: interrupted"), last);
	assert_non_null(strstr(last, "--resume r.json"));
	assert_string_equal(strchr(last, '\n'), "\n");
	free(text);
}

static void a_pipe_sees_neither_progress_nor_colours(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "--repeats", "1", e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	assert_null(strchr(r.out, '\033'));
	assert_null(strchr(r.err, '\033'));
	assert_null(strchr(r.err, '\r'));
	e2e_result_free(&r);
}

static int locale_c(void *ctx)
{
	(void)ctx;
	return setenv("LC_ALL", "C", 1);
}

static void the_c_locale_gets_ascii_only(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, locale_c, NULL, "--cores", "1", "--repeats", "1",
		e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	for (size_t i = 0; i < r.n_out; i++)
		if ((unsigned char)r.out[i] >= 0x80)
			fail_msg("not ASCII at byte %zu:\n%s", i, r.out);
	e2e_result_free(&r);
}

static int nobody_reads(void *ctx)
{
	int fd[2];

	(void)ctx;
	if (pipe(fd) < 0 || dup2(fd[1], 1) < 0)
		return -1;
	close(fd[1]);
	return close(fd[0]);
}

static int onto_a_full_device(void *ctx)
{
	const int fd = open("/dev/full", O_WRONLY);

	(void)ctx;
	return fd < 0 || dup2(fd, 1) < 0;
}

static void a_reader_that_went_away_is_no_error_but_a_full_device_is(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, nobody_reads, NULL, "--cores", "1", "--repeats", "1",
		e2e_program(e, "scales"), "0.01");
	e2e_expect_status(&r, 0);
	assert_int_equal(r.n_err, 0);
	e2e_result_free(&r);
	e2e_run_hooked(e, &r, onto_a_full_device, NULL, "--help");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "standard output");
	e2e_result_free(&r);
}

#define E2E_TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(help_begins_with_what_it_is_then_shows_examples),
		E2E_TEST(a_wrong_command_line_is_one_line_and_exit_2),
		E2E_TEST(only_options_are_looked_at_for_typing_errors),
		E2E_TEST(every_command_says_its_help_and_its_version),
		E2E_TEST(a_dry_run_prints_the_same_plan_and_writes_nothing),
		E2E_TEST(counts_above_the_granted_are_skipped_with_a_word),
		E2E_TEST(more_threads_than_cpus_keep_the_stack_of_their_cpus),
		E2E_TEST(a_budget_ends_the_runs_and_not_the_diagnosis),
		E2E_TEST(a_terminal_sees_progress_that_is_erased_before_the_report),
		E2E_TEST(an_interrupted_terminal_is_left_clean),
		E2E_TEST(a_pipe_sees_neither_progress_nor_colours),
		E2E_TEST(the_c_locale_gets_ascii_only),
		E2E_TEST(a_reader_that_went_away_is_no_error_but_a_full_device_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
