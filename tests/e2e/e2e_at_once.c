/*
 * Two diagnoses at once, one killed outright, and what is left of both.
 */
#include <string.h>
#include <time.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/written_files.h"

/* Waits until the record, which is an older one's or still beside it, has runs of the job. */
static void await_runs(const struct e2e *e, const char *name, long runs)
{
	for (int i = 0; i < 3000 && e2e_runs_in(e2e_path(e, name)) < runs; i++)
		e2e_nap(10);
	assert_true(e2e_runs_in(e2e_path(e, name)) >= runs);
}

static void of_two_at_once_the_second_is_told_and_the_first_is_whole(void **state)
{
	static const char *const slow[] = {"--cores", "1", "--repeats", "8", "--samples", "none",
		"--experiments", "none", "-o", "r.json", "/bin/sleep", "0.2", NULL};
	struct e2e *const e = *state;
	struct e2e_result first, second;
	struct e2e_job job;

	e2e_start(e, &job, NULL, NULL, slow);
	await_runs(e, "r.json", 1);
	e2e_run_args(e, &second, NULL, NULL, slow);
	assert_int_not_equal(second.status, 0);
	e2e_expect_error(&second, "another scalediag");
	e2e_result_free(&second);
	e2e_wait(&job, &first, 60);
	e2e_expect_status(&first, 0);
	e2e_result_free(&first);
	assert_true(e2e_runs_in(e2e_path(e, "r.json")) >= 8);
	assert_int_equal(access(e2e_path(e, "r.scalediag.lock"), F_OK), -1);
}

static void killed_outright_it_loses_no_run_of_either_record_and_locks_nobody_out(void **state)
{
	static const char *const slow[] = {"--cores", "1", "--repeats", "50", "--samples", "none",
		"--experiments", "none", "-o", "r.json", "/bin/sleep", "0.1", NULL};
	struct e2e *const e = *state;
	struct e2e_result r;
	struct e2e_job job;
	long older;

	make_record(e, "r.json");
	older = e2e_runs_in(e2e_path(e, "r.json"));
	e2e_start(e, &job, NULL, NULL, slow);
	/* one core count, one good run: worth a report */
	for (int i = 0; i < 3000 && e2e_runs_in(e2e_path(e, "r.json")) == older; i++)
		e2e_nap(10);
	await_runs(e, "r.json", 1);
	kill(job.pid, SIGKILL);
	e2e_wait(&job, &r, 10);
	e2e_result_free(&r);
	assert_true(e2e_runs_in(e2e_path(e, "r.json")) >= 1);
	make_record(e, "r.json");
}

static int other_home(void *home)
{
	return setenv("HOME", home, 1) || unsetenv("XDG_CACHE_HOME");
}

static void nothing_is_left_in_a_home_unless_something_is_saved_there(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char home[300];

	snprintf(home, sizeof home, "%s", e2e_path(e, "home"));
	assert_int_equal(mkdir(home, 0700), 0);
	e2e_run_hooked(e, &r, other_home, home, "--cores", "1", "--repeats", "2", "-o", "r.json",
		"/bin/true");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run_hooked(e, &r, other_home, home, "report", "r.json");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run_hooked(e, &r, other_home, home, "doctor");
	e2e_result_free(&r);
	assert_int_equal(files_below(home), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(of_two_at_once_the_second_is_told_and_the_first_is_whole),
		E2E_TEST(nothing_is_left_in_a_home_unless_something_is_saved_there),
		E2E_TEST(killed_outright_it_loses_no_run_of_either_record_and_locks_nobody_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
