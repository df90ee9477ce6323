/*
 * Any text becomes a file name that a terminal shows as it is and no command takes for an option.
 */
#include "output/output_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_name_has_no_byte_that_does_something(void **state)
{
	static const struct {
		const char *text, *name;
	} row[] = {{"app", "app"}, {"", "_"}, {"-rf", "_rf"}, {".hidden", "_hidden"}, {"..", "_."},
		{"a/b", "a_b"}, {"///", "___"}, {"\033[2Jx", "_[2Jx"}, {"a\nb\tc\177", "a_b_c_"},
		{"größe", "größe"}, {"\xff\xfe", "__"},
		{"a\xc2\x9b"
		 "31m",
			"a_31m"},
		{"a\xe2\x80\xae"
		 "b",
			"a_b"},
		{"\xc0\xaf", "__"}, {"cut\xe2\x80", "cut__"}, {"two words", "two words"}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char *const name = sd_output_name(row[i].text);

		assert_string_equal(name, row[i].name);
		free(name);
	}
}

static void a_long_name_is_cut_between_characters(void **state)
{
	char text[1001], *name;

	(void)state;
	for (size_t i = 0; i < 1000; i += 2)
		memcpy(text + i, "ö", 2);
	text[0] = 'a'; /* an odd number of bytes from there on */
	text[1] = 'b';
	text[2] = 'c';
	memmove(text + 3, text + 4, 997);
	name = sd_output_name(text);
	assert_int_equal(strlen(name), SD_OUTPUT_NAME_BYTES - 1);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_has_no_byte_that_does_something),
		cmocka_unit_test(a_long_name_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
