/* One scalediag at a time is attached to a process; who has it is said. */
#include "attach/claim.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void take(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	snprintf(ctx, 256, "%s", text);
}

static void a_second_one_is_refused_with_the_first_one_s_pid(void **state)
{
	char said[256] = "", pid[32];
	const struct sd_sink sink = {take, said};
	struct sd_claim first, second;
	struct sd_attached a;
	pid_t program, other;
	int ready[2], status;

	(void)state;
	program = fork();
	if (program == 0) {
		pause();
		_exit(0);
	}
	snprintf(pid, sizeof pid, "%d", (int)program);
	assert_int_equal(sd_attached_find(&a, SD_ATTACH_PID, pid, NULL), 0);
	assert_int_equal(pipe(ready), 0);
	other = fork();
	if (other == 0) {
		if (sd_claim_open(&first, &a, NULL) == 0 && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], said, 1), 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(sd_claim_open(&second, &a, &sink), -EBUSY);
	snprintf(pid, sizeof pid, "(pid %d)", (int)other);
	assert_non_null(strstr(said, pid));
	/* of one that was killed nothing is left */
	kill(other, SIGKILL);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(sd_claim_open(&second, &a, NULL), 0);
	assert_int_equal(second.n, 1);
	sd_claim_close(&second);
	kill(program, SIGKILL);
	waitpid(program, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	sd_attached_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_one_is_refused_with_the_first_one_s_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
