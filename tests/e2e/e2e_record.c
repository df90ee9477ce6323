/*
 * The record: what is in it survives whatever ends scalediag, and it can be gone on with.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/record_runs.h"

/* Waits until there are that many runs; every look must find no record yet, or a whole one. */
static void wait_for_runs(const char *path, long runs)
{
	for (int i = 0; i < 6000; i++) {
		const long n = e2e_runs_in(path);

		assert_true(n >= 0 || access(path, F_OK) != 0);
		if (n >= runs)
			return;
		e2e_nap(10);
	}
	fail_msg("%s never had %ld runs", path, runs);
}

static void wait_for_pids(const char *path, size_t n)
{
	pid_t pid[64];

	for (int i = 0; i < 6000; i++) {
		if (e2e_pids(path, pid, 64) >= n)
			return;
		e2e_nap(10);
	}
	fail_msg("%s never had %zu processes", path, n);
}

/* A program that scales, after writing its process id to `pids`. */
static const char *const noted = "echo $$ >> pids; exec \"$0\" 0.1";

static void start_noted(struct e2e *e, struct e2e_job *job)
{
	e2e_start(e, job, NULL, NULL,
		(const char *const[]){"--cores", "1", "--repeats", "20", "-o", "r.json", "--",
			"/bin/sh", "-c", noted, e2e_program(e, "scales"), NULL});
	wait_for_runs(e2e_path(e, "r.json"), 2);
}

static void what_was_set_for_the_program_is_in_record_and_report(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *set;
	int threads = 0, own = 0;
	size_t i;
	json_t *s;

	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "-o", "r.json", "--json", "--env", "OWN=1",
		"--", e2e_program(e, "scales"), "0.02");
	e2e_expect_status(&r, 0);
	set = json_object_get(json_object_get(e2e_report(e, &r), "program"), "set");
	json_array_foreach(set, i, s)
	{
		threads |= strcmp(json_string_value(s), "OMP_NUM_THREADS={n}") == 0;
		own |= strncmp(json_string_value(s), "OWN=", 4) == 0;
	}
	assert_true(threads);
	assert_false(own);
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--long", "r.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "scalediag set for the program:"));
	assert_null(strstr(r.out, "Unchecked"));
	e2e_result_free(&r);
}

/* Another number than was measured, and no checksum at all. */
static void nothing_is_decided_by_a_damaged_record_and_an_unchecked_one_says_so(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char *text, *tail, *wall;
	size_t n;

	e2e_run(e, &r, "--cores", "1", "--repeats", "5", "-o", "r.json", e2e_program(e, "scales"),
		"0.5");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "check", "r.json", "--require", "wall@1<=1000");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	text = e2e_read(e2e_path(e, "r.json"), &n);
	assert_non_null(text);
	tail = strstr(text, ",\n\"crc32\"");
	wall = strstr(text, "\"start\":");
	assert_non_null(tail);
	assert_non_null(wall);
	wall += strlen("\"start\":");
	*wall = *wall == '1' ? '2' : '1';
	e2e_write(e2e_path(e, "d.json"), text);
	e2e_run(e, &r, "check", "d.json", "--require", "wall@1<=1000");
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.out, "the record is damaged"));
	e2e_result_free(&r);
	e2e_run(e, &r, "check", "r.json", "--require", "wall@1<=1000", "--baseline", "d.json",
		"--tolerance", "1000%");
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.out, "the baseline is damaged"));
	e2e_result_free(&r);
	memcpy(tail, "}\n", 3);
	e2e_write(e2e_path(e, "old.json"), text);
	e2e_run(e, &r, "report", "--long", "old.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "Unchecked: "));
	e2e_result_free(&r);
	free(text);
}

static void a_report_from_the_record_is_the_same_bytes(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result text, again, json, json_again;

	e2e_run(e, &text, "--cores", "1", "--repeats", "3", "-o", "r.json",
		e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&text, 0);
	e2e_run(e, &again, "report", "r.json");
	e2e_expect_status(&again, 0);
	assert_string_equal(text.out, again.out);
	e2e_run(e, &json, "--cores", "1", "--repeats", "3", "-o", "s.json", "--json",
		e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&json, 0);
	e2e_run(e, &json_again, "report", "--format", "json", "s.json");
	e2e_expect_status(&json_again, 0);
	assert_string_equal(json.out, json_again.out);
	e2e_result_free(&json_again);
	e2e_run(e, &json_again, "report", "--json", "s.json");
	e2e_expect_status(&json_again, 0);
	assert_string_equal(json.out, json_again.out);
	e2e_result_free(&json_again);
	/* a page prints nothing by itself, and keeps nothing from being printed */
	e2e_run(e, &json_again, "report", "--html", "s.html", "s.json");
	e2e_expect_status(&json_again, 0);
	assert_int_equal(json_again.n_out, 0);
	e2e_result_free(&json_again);
	e2e_run(e, &json_again, "report", "--html", "s.html", "--json", "s.json");
	e2e_expect_status(&json_again, 0);
	assert_string_equal(json.out, json_again.out);
	assert_int_equal(access(e2e_path(e, "s.html"), F_OK), 0);
	e2e_result_free(&text);
	e2e_result_free(&again);
	e2e_result_free(&json);
	e2e_result_free(&json_again);
}

static void the_record_is_named_after_the_program(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "--repeats", "1", e2e_program(e, "scales"), "0.01");
	e2e_expect_status(&r, 0);
	assert_true(e2e_runs_in(e2e_path(e, "scales.scalediag.json")) > 0);
	e2e_result_free(&r);
	/* commands that are given none take it, the newest of the folder */
	e2e_run(e, &r, "report");
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, ".scalediag.json, the newest record of this folder");
	e2e_result_free(&r);
}

/* SIGQUIT is not caught: the way out where nothing else helps. */
static void killed_outright_it_keeps_every_finished_run_and_leaves_nobody(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	struct e2e_job job;
	long runs;

	start_noted(e, &job);
	kill(job.pid, SIGQUIT);
	e2e_wait(&job, &r, 30);
	e2e_expect_status(&r, 128 + SIGQUIT);
	e2e_result_free(&r);
	assert_true(e2e_runs_in(e2e_path(e, "r.json")) >= 2);
	e2e_await_gone(e2e_path(e, "pids"), 2);
	unlink(e2e_path(e, "pids"));
	unlink(e2e_path(e, "r.json"));
	start_noted(e, &job);
	kill(job.pid, SIGKILL);
	e2e_wait(&job, &r, 30);
	e2e_expect_status(&r, 128 + SIGKILL);
	e2e_result_free(&r);
	runs = e2e_runs_in(e2e_path(e, "r.json"));
	assert_true(runs >= 2);
	/* the tree is ended by others now, right after us */
	e2e_await_gone(e2e_path(e, "pids"), 2);
	e2e_run(e, &r, "report", "--format", "json", "r.json");
	e2e_expect_status(&r, 0);
	e2e_report(e, &r);
	e2e_result_free(&r);
	e2e_run(e, &r, "--json", "--resume", "r.json");
	e2e_expect_status(&r, 0);
	e2e_report(e, &r);
	assert_true(e2e_runs_in(e2e_path(e, "r.json")) > runs);
	e2e_result_free(&r);
}

static void each_polite_signal_ends_it_as_a_shell_says_it_with_a_whole_record(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct e2e *const e = *state;

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct e2e_result r;
		struct e2e_job job;

		unlink(e2e_path(e, "r.json"));
		start_noted(e, &job);
		kill(job.pid, signals[i]);
		e2e_wait(&job, &r, 20);
		e2e_expect_status(&r, 128 + signals[i]);
		expect_said(&r, "--resume r.json");
		assert_int_equal(r.n_out, 0);
		e2e_result_free(&r);
		assert_true(e2e_runs_in(e2e_path(e, "r.json")) >= 2);
		e2e_expect_gone(e2e_path(e, "pids"), 2);
	}
}

static void a_resumed_record_is_completed_and_then_only_reported(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r, again;
	struct e2e_job job;
	long before, after;

	start_noted(e, &job);
	kill(job.pid, SIGINT);
	e2e_wait(&job, &r, 20);
	e2e_result_free(&r);
	before = e2e_runs_in(e2e_path(e, "r.json"));
	e2e_run(e, &r, "--resume", "r.json", "--json", "--", "/bin/sh", "-c", noted,
		e2e_program(e, "scales"));
	e2e_expect_status(&r, 0);
	e2e_report(e, &r);
	after = e2e_runs_in(e2e_path(e, "r.json"));
	assert_true(before < after && after >= 20);
	e2e_run(e, &again, "--resume", "r.json", "--json");
	e2e_expect_status(&again, 0);
	assert_int_equal(e2e_runs_in(e2e_path(e, "r.json")), after);
	assert_string_equal(r.out, again.out);
	assert_non_null(strstr(r.err, "going on after"));
	assert_null(strstr(again.err, "going on"));
	expect_said(&again, "nothing is left to measure");
	e2e_result_free(&r);
	e2e_result_free(&again);
}

static void twice_at_once_ends_even_a_stubborn_tree(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	struct e2e_job job;

	e2e_start(e, &job, NULL, NULL,
		(const char *const[]){"--cores", "1", e2e_program(e, "stubborn"), "pids", NULL});
	wait_for_pids(e2e_path(e, "pids"), 3);
	kill(job.pid, SIGINT);
	e2e_nap(20);
	kill(job.pid, SIGINT);
	e2e_wait(&job, &r, 20);
	e2e_expect_status(&r, 130);
	e2e_expect_gone(e2e_path(e, "pids"), 3);
	e2e_result_free(&r);
}

static void resuming_something_else_is_refused_with_what_differs(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *record;

	make_record(e, "r.json");
	e2e_run(e, &r, "--resume", "r.json", e2e_program(e, "scales"), "0.02");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "0.02");
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	assert_non_null(record);
	json_object_set_new(
		json_object_get(record, "host"), "cpu", json_string("another processor"));
	assert_int_equal(json_dump_file(record, e2e_path(e, "r.json"), 0), 0);
	json_decref(record);
	e2e_run(e, &r, "--resume", "r.json");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "another processor");
	e2e_result_free(&r);
}

/* Its file's size stays, and so does its name: the time of the file tells. */
static void a_rebuilt_program_is_another_one(void **state)
{
	static const char script[] = "#!/bin/sh\nexec sleep 0.05\n";
	struct e2e *const e = *state;
	const char *const program = e2e_path(e, "app");
	struct timespec touched[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000000000}};
	struct e2e_result r;
	long before;

	e2e_write(program, script);
	assert_int_equal(chmod(program, 0755), 0);
	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "-o", "r.json", "./app");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	before = e2e_runs_in(e2e_path(e, "r.json"));
	e2e_run(e, &r, "--resume", "r.json");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	assert_int_equal(utimensat(AT_FDCWD, program, touched, 0), 0);
	e2e_run(e, &r, "--resume", "r.json");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "another build");
	e2e_expect_error(&r, "--resume-anyway");
	e2e_result_free(&r);
	assert_int_equal(e2e_runs_in(e2e_path(e, "r.json")), before);
	e2e_run(e, &r, "--resume", "r.json", "--resume-anyway");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "was rebuilt before"));
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--long", "--width", "400", "r.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "mixes two builds"));
	e2e_result_free(&r);
}

/* Servers write over their arguments; the record has the program's name. */
static void a_title_is_no_command(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char number[16];
	int held[2];
	pid_t pid;

	assert_int_equal(pipe(held), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(held[0], STDIN_FILENO);
		close(held[0]);
		close(held[1]);
		execl("/bin/cat", "cat: master process of /tmp/nobody's conf", NULL);
		_exit(127);
	}
	close(held[0]);
	e2e_nap(200);
	snprintf(number, sizeof number, "%d", (int)pid);
	e2e_run(e, &r, "attach", "--window", "1", "--samples", "none", number);
	close(held[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	e2e_expect_status(&r, 0);
	assert_ptr_equal(strstr(r.out, "cat · "), r.out);
	assert_int_equal(access(e2e_path(e, "cat.scalediag.json"), F_OK), 0);
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(what_was_set_for_the_program_is_in_record_and_report),
		E2E_TEST(nothing_is_decided_by_a_damaged_record_and_an_unchecked_one_says_so),
		E2E_TEST(a_report_from_the_record_is_the_same_bytes),
		E2E_TEST(the_record_is_named_after_the_program),
		E2E_TEST(a_title_is_no_command),
		E2E_TEST(killed_outright_it_keeps_every_finished_run_and_leaves_nobody),
		E2E_TEST(each_polite_signal_ends_it_as_a_shell_says_it_with_a_whole_record),
		E2E_TEST(a_resumed_record_is_completed_and_then_only_reported),
		E2E_TEST(twice_at_once_ends_even_a_stubborn_tree),
		E2E_TEST(a_rebuilt_program_is_another_one),
		E2E_TEST(resuming_something_else_is_refused_with_what_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
