/* What `scalediag attach` cannot look at, and says so. */
#include "e2e/e2e.h"

#include <stdio.h>
#include <unistd.h>

static void what_cannot_be_looked_at_is_said(void **state)
{
	static const struct {
		const char *args[6];
		int status;
		const char *says;
	} rows[] = {
		{{"attach"}, 2, "which program"},
		{{"attach", "x"}, 2, "not the number of a process"},
		{{"attach", "1", "--cgroup", "/x"}, 2, "one program at a time"},
		{{"attach", "1", "--cores", "1,2"}, 2, "--rate-command"},
		{{"attach", "1", "--window", "0"}, 2, "--window"},
		{{"attach", "1", "--rate", "x"}, 2, "--rate-command"},
		{{"attach", "4194305"}, 3, "no process 4194305"},
		{{"attach", "--systemd-unit", "no-such-unit-here"}, 3, "no-such-unit-here"},
		{{"attach", "--container", "xyz"}, 2, "cannot be one"},
		{{"attach", "--container", "0123456789abcdef"}, 3, "0123456789abcdef"},
		{{"attach", "--cgroup", "/no/such/group"}, 3, "/no/such/group"},
	};
	struct e2e *e = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct e2e_result r;

		e2e_run_args(e, &r, NULL, NULL, rows[i].args);
		e2e_expect_status(&r, rows[i].status);
		e2e_expect_error(&r, rows[i].says);
		e2e_result_free(&r);
	}
}

/* One that scalediag runs below would be looked at with the look itself. */
static void it_does_not_look_at_itself(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	char own[16];

	snprintf(own, sizeof own, "%d", (int)getpid());
	e2e_run(e, &r, "attach", own);
	e2e_expect_status(&r, 3);
	e2e_expect_error(&r, "itself");
	e2e_result_free(&r);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_cannot_be_looked_at_is_said),
		TEST(it_does_not_look_at_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
