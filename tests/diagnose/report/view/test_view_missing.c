/* Names what a program lacks that would tell more: names before lines, and neither where both are
 * there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/view_parts.h"

static void names_and_lines_of_the_program_are_asked_for(void **state)
{
	static const struct {
		const char *function, *file, *module, *says, *never;
	} row[] = {
		{"[app+0x1220]", NULL, "/home/me/app", "names of its functions (it is stripped",
			"line numbers"},
		{"work", NULL, "/home/me/app", "line numbers (compile with -g)", "stripped"},
		{"work", "work.c", "/home/me/app", "", "-g"},
		{"[libc.so.6+0x1220]", NULL, "/lib/libc.so.6", "install libc6-dbg", "stripped"},
	};
	char program[] = "./app", *argv[] = {program};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_record r = {.program = {.argv = {argv, 1}}};
		const struct sd_analysis a = {.is_decided = 1};
		char *function = strdup(row[i].function), *module = strdup(row[i].module),
		     *file = row[i].file ? strdup(row[i].file) : NULL;
		const struct sd_where at = {.function = function, .file = file, .module = module};
		const struct sd_view v = {.r = &r, .a = &a, .cause = {{.at = &at}}, .n_cause = 1};
		char *const text = sd_view_missing(&v);

		assert_non_null(text);
		if (!strstr(text, row[i].says) || strstr(text, row[i].never))
			fail_msg("row %zu: '%s'", i, text);
		free(text);
		free(function);
		free(module);
		free(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_lines_of_the_program_are_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
