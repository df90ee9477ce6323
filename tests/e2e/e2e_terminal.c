/*
 * A terminal, a pipe and a full device: what each of them is shown.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "e2e/e2e.h"
#include "support/tries.h"

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

/* As soon as every count has a run: what the cores did, and who may be the cause. */
static void the_first_block_is_enough_for_a_stack_and_a_suspect(void **state)
{
	struct e2e *const e = *state;
	const char *const args[] = {"--cores", "1,2", "--repeats", "3", "--experiments", "none",
		e2e_program(e, "half_serial"), "0.1", NULL};
	const char *stack, *suspect, *next;
	int status = -1;
	char *text;

	e2e_need_two_cpus("the first look");
	text = on_terminal(e, args, NULL, &status);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	stack = strstr(text, "2 cores so far: ");
	suspect = strstr(text, "suspect");
	next = strstr(text, "block 2 of ");
	assert_true(stack && suspect && next && stack < suspect && suspect < next);
	free(text);
}

/* Once the plain runs are done, it is said what they suggest; Ctrl-C among the experiments ends
 * these, and what is known is reported. */
static void experiments_go_on_until_they_are_interrupted(void **state)
{
	struct e2e *const e = *state;
	const char *const args[] = {"--cores", "1,2", "--repeats", "5", "--experiments", "padding",
		"-o", "r.json", e2e_program(e, "half_serial"), "0.3", NULL};
	const char *suspect, *experiment, *report;
	int status = -1;
	char *text;

	e2e_need_two_cpus("what the plain runs say");
	text = on_terminal(e, args, "experiment padding", &status);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 130);
	suspect = strstr(text, "suspect");
	experiment = strstr(text, "experiment padding");
	assert_true(suspect && experiment && suspect < experiment);
	report = strstr(experiment, "--resume r.json");
	assert_true(report && strstr(report, "Where the time of 2 cores goes"));
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

/* Are there user code's samples in every run at two cores, with what it touched? */
static int has_native_samples(const json_t *record)
{
	const json_t *run;
	size_t i;

	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const n = json_object_get(run, "native");

		if (json_integer_value(json_object_get(run, "point")) == 1 &&
			!(json_number_value(json_object_get(n, "samples")) >= 50))
			return 0;
	}
	return 1;
}

static const json_t *look_quickly(struct e2e *e, const char *test)
{
	const json_t *report;
	struct e2e_result r;
	json_t *record;
	int seen;

	e2e_run(e, &r, "--quick", "--json", "-o", "r.json", "--", e2e_program(e, "false_sharing"),
		"{n}", "1000000000");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	assert_int_equal(json_array_size(json_object_get(record, "runs")), 5);
	seen = has_native_samples(record);
	json_decref(record);
	if (!seen)
		e2e_skip(test, "no samples, or fewer than 50 of user code");
	return report;
}

/* The five runs of a quick look name the cause: no experiment is needed. */
static void a_quick_look_names_what_costs_most(void **state)
{
	struct tries t = {.test = __func__};
	struct e2e *const e = *state;
	const json_t *report, *cause;
	const char *named;
	char text[96];

	e2e_need_two_cpus(__func__);
	while (tries_next(&t)) {
		report = look_quickly(e, __func__);
		cause = json_array_get(
			json_object_get(json_object_get(report, "view"), "causes"), 0);
		named = json_string_value(json_object_get(cause, "cause"));
		if (named && strcmp(named, "false-sharing") == 0) {
			tries_tell(&t, NULL);
			continue;
		}
		/* where the cores lie near each other it may cost little */
		if (json_number_value(json_object_get(
			    json_object_get(e2e_point(report, 2), "speedup"), "value")) > 1.5)
			e2e_skip(__func__, "by its times it loses little here");
		snprintf(text, sizeof text, "a quick look names %s first",
			named ? named : "nothing");
		tries_tell(&t, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(a_terminal_sees_progress_that_is_erased_before_the_report),
		E2E_TEST(the_first_block_is_enough_for_a_stack_and_a_suspect),
		E2E_TEST(a_quick_look_names_what_costs_most),
		E2E_TEST(experiments_go_on_until_they_are_interrupted),
		E2E_TEST(an_interrupted_terminal_is_left_clean),
		E2E_TEST(a_pipe_sees_neither_progress_nor_colours),
		E2E_TEST(the_c_locale_gets_ascii_only),
		E2E_TEST(a_reader_that_went_away_is_no_error_but_a_full_device_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
