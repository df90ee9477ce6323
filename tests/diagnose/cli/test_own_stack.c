#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/out_of_memory.h"
#include "cli/own_stack.h"

/* As a library's assertion does; `ctx` not NULL: where no memory is left. */
static int give_up(void *ctx)
{
	const struct rlimit none = {1 << 20, 1 << 20};

	if (ctx && setrlimit(RLIMIT_AS, &none) != 0)
		return 0;
	abort();
}

static int status_of(void *ctx)
{
	const struct rlimit no_core = {0, 0};
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		_exit(sd_own_stack_call(give_up, ctx));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void an_assertion_without_memory_ends_in_order(void **state)
{
	const int status = status_of(state);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	(void)status; /* the sanitizer has the signals */
	skip();
#endif
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), SD_OUT_OF_MEMORY_STATUS);
}

static void any_other_assertion_is_fatal(void **state)
{
	const int status = status_of(NULL);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_assertion_without_memory_ends_in_order),
		cmocka_unit_test(any_other_assertion_is_fatal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
