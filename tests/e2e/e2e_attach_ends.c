/*
 * `scalediag attach` is ended, stopped and killed, with its guard and without: the service has its
 * CPUs back.
 */
#include "e2e/attached_service.h"

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

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(they_are_put_back_after_ctrl_c),
		TEST(they_are_put_back_after_kill_9),
		TEST(they_are_put_back_by_the_next_command),
		TEST(a_stopped_guard_holds_nobody_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
