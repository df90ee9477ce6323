/*
 * The counts of all processes of a program, read back: their sum, or none where one is not known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/instruction_totals.h"

struct files {
	char folder[64], prefix[80];
};

/* A name that looks like a pattern. */
static int set_up(void **state)
{
	struct files *const f = calloc(1, sizeof *f);

	*state = f;
	if (!f)
		return -1;
	snprintf(f->folder, sizeof f->folder, "/tmp/simtotals[ab]XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	snprintf(f->prefix, sizeof f->prefix, "%s/r", f->folder);
	return 0;
}

static int tear_down(void **state)
{
	struct files *const f = *state;
	const int rc = rmdir(f->folder); /* nothing is left */

	free(f);
	return rc;
}

static void put(const struct files *f, int pid, const char *text)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof path, "%s.%d.total", f->prefix, pid);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void processes_that_ended_are_added_up(void **state)
{
	const struct files *const f = *state;
	struct sd_value v;

	put(f, 1, "ended 1000\n");
	put(f, 22, "ended 234\n");
	v = sd_instruction_totals_take(f->prefix);
	assert_true(sd_has(v) && v.value == 1234);
	/* they are gone */
	assert_false(sd_has(sd_instruction_totals_take(f->prefix)));
}

static void one_that_is_not_known_leaves_no_sum(void **state)
{
	static const char *const bad[] = {"running\n", "lost\n", "", "ended\n", "ended -1\n",
		"ended 12x\n", "ended 0\n", "ended 99999999999999999999\n", "ended 12 13\n"};
	const struct files *const f = *state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		put(f, 1, "ended 1000\n");
		put(f, 2, bad[i]);
		assert_false(sd_has(sd_instruction_totals_take(f->prefix)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			processes_that_ended_are_added_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			one_that_is_not_known_leaves_no_sum, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
