/*
 * `scalediag attach` is ended, stopped and killed, with its guard and without, and calls fail in
 * it: the service has its CPUs back.
 */
#include "e2e/attached_service.h"
#include "support/failing_calls.h"

static void start_scaling(struct e2e *e, const struct service *s, struct e2e_job *job)
{
	const char *const args[] = {"attach", s->number, "--cores", "1", "--window", "300",
		"--repeats", "5", "--rate-command", s->command, NULL};

	e2e_start(e, job, NULL, NULL, args);
	for (int i = 0; i < 1000 && !is_narrowed(s); i++)
		e2e_nap(20);
	assert_true(is_narrowed(s));
}

static void put_back_after(struct e2e *e, int signal)
{
	struct service s;
	struct e2e_job job;
	struct e2e_result r;

	start(e, &s, "0", NULL);
	start_scaling(e, &s, &job);
	assert_int_equal(kill(job.pid, signal), 0);
	e2e_wait(&job, &r, 60);
	e2e_expect_status(&r, 128 + signal);
	e2e_result_free(&r);
	for (int i = 0; i < 1000 && !is_as_before(&s); i++)
		e2e_nap(20);
	stop(&s);
}

static void they_are_put_back_after_ctrl_c(void **state)
{
	e2e_need_two_cpus("they_are_put_back_after_ctrl_c");
	put_back_after(*state, SIGINT);
}

static void they_are_put_back_after_kill_9(void **state)
{
	e2e_need_two_cpus("they_are_put_back_after_kill_9");
	put_back_after(*state, SIGKILL);
}

/* With all that it has started, as who ends a group does: the next command mends, and says so. */
static void they_are_put_back_by_the_next_command(void **state)
{
	struct e2e *e = *state;
	struct service s;
	struct e2e_job job;
	struct e2e_result r;

	e2e_need_two_cpus("they_are_put_back_by_the_next_command");
	start(e, &s, "0", NULL);
	start_scaling(e, &s, &job);
	e2e_run(e, &r, "attach", s.number, "--window", "1");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "another scalediag (pid");
	e2e_result_free(&r);
	/* stopped first: nobody sees the other's end */
	kill(job.pid, SIGSTOP);
	e2e_signal_children(job.pid, SIGKILL);
	kill(job.pid, SIGKILL);
	e2e_wait(&job, &r, 60);
	e2e_result_free(&r);
	assert_true(is_narrowed(&s));
	e2e_run(e, &r, "doctor");
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, "had left process");
	e2e_result_free(&r);
	stop(&s);
}

/* Its guard answers no more: it does what the guard would. */
static void a_stopped_guard_holds_nobody_up(void **state)
{
	struct e2e *e = *state;
	struct service s;
	struct e2e_job job;
	struct e2e_result r;

	e2e_need_two_cpus("a_stopped_guard_holds_nobody_up");
	start(e, &s, "0", NULL);
	start_scaling(e, &s, &job);
	e2e_signal_children(job.pid, SIGSTOP);
	assert_int_equal(kill(job.pid, SIGINT), 0);
	e2e_wait(&job, &r, 60);
	e2e_expect_status(&r, 130);
	e2e_result_free(&r);
	stop(&s);
}

/* ---- calls that fail ------------------------------------------------------------------------- */

/* For commands that take seconds: of each kind one call, not the first; with SD_FAULTS_EACH all. */
static void expect_slow_command_copes(
	struct e2e *e, const char *const *args, const struct service *attached)
{
	static const struct {
		const char *kind;
		size_t nth;
	} row[] = {{"memory", 4000}, {"open", 250}, {"read", 400}, {"write", 30}, {"mmap", 60},
		{"fork", 2}, {"pipe", 1}, {"kernel", 20}};
	char preload[4200], count[300];
	struct fault f = {.preload = preload, .count = count};
	struct e2e_result r;

	snprintf(preload, sizeof preload, "%s/../faults.so", e->programs);
	snprintf(count, sizeof count, "%s", e2e_path(e, "count"));
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		size_t n = row[k].nth, to = n;

		unlink(count);
		if (getenv("SD_FAULTS_EACH")) {
			snprintf(f.what, sizeof f.what, "%s:0", row[k].kind);
			e2e_run_args(e, &r, inject, &f, args);
			e2e_expect_status(&r, 0);
			e2e_result_free(&r);
			n = 1;
			to = size_of(count);
		}
		for (; n <= to; n++) {
			unlink(e2e_path(e, "made.json"));
			snprintf(f.what, sizeof f.what, "%s:%zu", row[k].kind, n);
			e2e_run_args(e, &r, inject, &f, args);
			expect_coped(e, &f, &r, NULL, 1);
			e2e_result_free(&r);
			if (attached && (kill(attached->pid, 0) || !is_as_before(attached)))
				fail_msg("%s: the service is not as it was", f.what);
		}
	}
}

static void an_attached_program_is_as_before_whatever_call_fails(void **state)
{
	struct e2e *const e = *state;
	struct service s;

	if (E2E_SANITIZED)
		e2e_skip(__func__, "the sanitizer's library must be the first that is preloaded");
	start(e, &s, "0", "200");
	expect_slow_command_copes(e,
		(const char *const[]){"attach", s.number, "--window", "0.5", "--cores", "1",
			"--repeats", "1", "--progress", "requests", "-o", "made.json", NULL},
		&s);
	if (getenv("SD_FAULTS_EACH"))
		expect_slow_command_copes(e,
			(const char *const[]){
				"attach", s.number, "--window", "0.5", "-o", "made.json", NULL},
			&s);
	stop(&s);
	if (getenv("SD_FAULTS_EACH"))
		expect_slow_command_copes(e,
			(const char *const[]){
				"calibrate", "timers", "--quick", "-o", "cal.json", NULL},
			NULL);
}

/* ---- the time of day is set ------------------------------------------------------------------ */

/* Every run of the record began after the one before, and within minutes of the first. */
static void expect_no_year_between_runs(struct e2e *e, const char *name)
{
	json_t *const record = json_load_file(e2e_path(e, name), 0, NULL), *run;
	const json_t *const runs = json_object_get(record, "runs");
	double first = 0, before = 0;
	size_t i;

	assert_true(json_array_size(runs) >= 3);
	json_array_foreach(runs, i, run)
	{
		const double start = json_number_value(json_object_get(run, "start"));

		first = i ? first : start;
		assert_true(start > 1e9 && start > before && start - first < 3600);
		before = start;
	}
	json_decref(record);
}

static void a_time_of_day_that_is_set_is_no_time_that_passed(void **state)
{
	static const char *const set[] = {"later:8", "earlier:8"}; /* between two runs */
	struct e2e *const e = *state;
	char preload[4200];
	struct fault f = {.preload = preload, .count = "/dev/null"};
	struct service s;
	struct e2e_result r;

	if (E2E_SANITIZED)
		e2e_skip(__func__, "the sanitizer's library must be the first that is preloaded");
	snprintf(preload, sizeof preload, "%s/../faults.so", e->programs);
	start(e, &s, "0", "200");
	for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
		snprintf(f.what, sizeof f.what, "%s", set[i]);
		e2e_run_hooked(e, &r, inject, &f, "--cores", "1", "--repeats", "4", "--experiments",
			"none", "-o", "day.json", e2e_program(e, "scales"), "0.01");
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		expect_no_year_between_runs(e, "day.json");
		e2e_run_hooked(e, &r, inject, &f, "attach", s.number, "--window", "1", "-o",
			"window.json");
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		expect_no_year_between_runs(e, "window.json");
	}
	stop(&s);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(they_are_put_back_after_ctrl_c),
		TEST(they_are_put_back_after_kill_9),
		TEST(they_are_put_back_by_the_next_command),
		TEST(a_stopped_guard_holds_nobody_up),
		TEST(an_attached_program_is_as_before_whatever_call_fails),
		TEST(a_time_of_day_that_is_set_is_no_time_that_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
