/* Whatever a process of ours does, the wait for its end has a limit, and it is gone behind it. */
#include "base/child_end.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static pid_t child(void (*does)(void))
{
	const pid_t pid = fork();

	if (pid == 0) {
		does();
		_exit(7);
	}
	return pid;
}

static void ends(void)
{
}

static void stops(void)
{
	signal(SIGTERM, SIG_IGN);
	raise(SIGSTOP);
}

static void sleeps(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (;;)
		pause();
}

static void one_that_ends_tells_how(void **state)
{
	int status = 0;

	(void)state;
	assert_int_equal(sd_child_end_await(child(ends), 60, &status), 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void one_that_does_not_is_killed(void **state)
{
	void (*const does[])(void) = {stops, sleeps};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const pid_t pid = child(does[i]);

		assert_int_equal(sd_child_end_await(pid, .05, NULL), -ETIMEDOUT);
		assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
		assert_int_equal(sd_child_end_await(pid, 60, NULL), -ECHILD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_ends_tells_how),
		cmocka_unit_test(one_that_does_not_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
