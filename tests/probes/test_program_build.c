/*
 * How programs were compiled: those that the compiler of these tests makes, and files that are
 * none.
 */
#include "probe/program_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/scalediag-test-XXXXXX", program[64];

/* Compiles a program with these options, and reads how it was built. */
static char *compiled(const char *options)
{
	char command[256], *build = NULL;

	snprintf(command, sizeof command,
		"echo 'int main(void) { return 0; }' | cc -x c %s -o %s -", options, program);
	assert_int_equal(system(command), 0);
	assert_int_equal(sd_program_build_read(program, &build), 0);
	return build;
}

static void compiler_and_options_are_told(void **state)
{
	char *quick, *plain, *none;

	(void)state;
	if (system("command -v cc >/dev/null") != 0) {
		print_message("SKIP: compiler_and_options_are_told: there is no compiler here\n");
		skip();
	}
	quick = compiled("-g -O1");
	plain = compiled("-g");
	none = compiled("-g0");
	assert_non_null(quick);
	assert_non_null(plain);
	assert_null(none);
	assert_non_null(strstr(quick, strncmp(quick, "GNU ", 4) == 0 ? " -O1" : "clang"));
	assert_false(sd_program_build_is_plain(quick));
	assert_int_equal(sd_program_build_is_plain(plain), strncmp(plain, "GNU ", 4) == 0);
	free(quick);
	free(plain);
	unlink(program);
}

static void the_last_level_counts(void **state)
{
	static const struct {
		const char *build;
		int plain;
	} row[] = {
		{"GNU C17 12.2.0 -mtune=generic -g", 1},
		{"GNU C17 12.2.0 -mtune=generic -g -O", 0},
		{"GNU C17 12.2.0 -mtune=generic -O2 -g -O0", 1},
		{"GNU C++17 12.2.0 -mtune=generic -O0 -Ofast", 0},
		{"GNU C17 12.2.0", 0}, /* it records none */
		{"clang version 14.0.6", 0},
		{"", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_int_equal(sd_program_build_is_plain(row[i].build), row[i].plain);
}

static void a_file_that_is_no_program_tells_nothing(void **state)
{
	char *build = NULL;
	FILE *const f = fopen(program, "w");

	(void)state;
	assert_non_null(f);
	fputs("\x7f"
	      "ELF and nothing more",
		f);
	fclose(f);
	assert_int_equal(sd_program_build_read(program, &build), 0);
	assert_null(build);
	unlink(program);
	assert_int_equal(sd_program_build_read(program, &build), 0);
	assert_null(build);
	assert_int_equal(sd_program_build_read(folder, &build), 0);
	assert_null(build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiler_and_options_are_told),
		cmocka_unit_test(the_last_level_counts),
		cmocka_unit_test(a_file_that_is_no_program_tells_nothing),
	};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	snprintf(program, sizeof program, "%s/app", folder);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return failed;
}
