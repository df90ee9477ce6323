/*
 * What a program that runs is called.
 */
#include "e2e/e2e.h"

#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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
		cmocka_unit_test_setup_teardown(a_title_is_no_command, e2e_setup, e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
