/*
 * Processes of a lesson end, whatever is done to them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learn/child_process.h"

static void one_that_is_stopped_goes_on(void **state)
{
	static const struct sd_sink silent;
	volatile sig_atomic_t stop = 0;
	const struct sd_cli cli = {.sink = &silent, .stop = &stop};
	char shell[] = "sh", option[] = "-c", script[] = "kill -STOP $$; exit 3";
	char *argv[] = {shell, option, script, NULL};

	(void)state;
	assert_int_equal(sd_child_process_exec(&cli, "/bin/sh", argv), 3);
	assert_int_equal(sd_child_process_quiet(&cli, "/bin/sh", argv, NULL), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(one_that_is_stopped_goes_on)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
