#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "base/nearest.h"

static void a_mistyped_word_finds_the_one_that_was_meant_or_none(void **state)
{
	static const char *const known[] = {"run", "report", "compare", "check", "lines", "learn",
		"false-sharing", "true-sharing", "one-mutex", NULL};
	static const struct {
		const char *word, *meant;
	} row[] = {
		{"reprot", "report"},
		{"report", "report"},
		{"repotr", "report"},
		{"rn", "run"},
		{"rnu", "run"},
		{"comp", "compare"},
		{"chekc", "check"},
		{"line", "lines"},
		{"flase-sharing", "false-sharing"},
		{"fals_shareing", "false-sharing"},
		{"sharing", "false-sharing"},
		{"mutx", "one-mutex"},
		{"on", "one-mutex"},
		{"ane", NULL},
		{"sort", NULL},
		{"x", NULL},
		{"", NULL},
		{"/usr/bin/report-generator-of-something", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_nearest n;

		sd_nearest_begin(&n, row[i].word, strlen(row[i].word));
		for (size_t k = 0; known[k]; k++)
			sd_nearest_try(&n, known[k]);
		if (!row[i].meant)
			assert_null(n.best);
		else if (!n.best || strcmp(n.best, row[i].meant) != 0)
			fail_msg("%s: %s", row[i].word, n.best ? n.best : "nothing");
	}
}

static void only_the_given_bytes_are_compared(void **state)
{
	struct sd_nearest n;

	(void)state;
	sd_nearest_begin(&n, "corse=1,2,4", 5);
	sd_nearest_try(&n, "cores");
	assert_string_equal(n.best, "cores");
	assert_int_equal(n.distance, 1);
}

static void what_was_meant_is_asked_for_where_there_is_something(void **state)
{
	char hint[SD_NEAREST_HINT];
	struct sd_nearest n;

	(void)state;
	sd_nearest_begin(&n, "perfeto", 7);
	assert_string_equal(sd_nearest_hint(&n, hint), "");
	sd_nearest_try(&n, "perfetto");
	assert_string_equal(sd_nearest_hint(&n, hint), "; did you mean 'perfetto'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mistyped_word_finds_the_one_that_was_meant_or_none),
		cmocka_unit_test(only_the_given_bytes_are_compared),
		cmocka_unit_test(what_was_meant_is_asked_for_where_there_is_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
