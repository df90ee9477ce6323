#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/cpulist.h"

static void lists_are_parsed_and_written_in_the_kernels_format(void **state)
{
	static const struct {
		const char *in, *out;
		size_t n;
	} row[] = {
		{"", "", 0},
		{"\n", "", 0},
		{"0", "0", 1},
		{"0-3", "0-3", 4},
		{"0-1,3", "0-1,3", 3},
		{"0,1,2\n", "0-2", 3},
		{"4,0,1", "4,0-1", 3},
		{"65535", "65535", 1},
		{"0-2047", "0-2047", 2048},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct sd_cpulist list;
		char *text;

		assert_int_equal(sd_cpulist_parse(row[i].in, &list), 0);
		assert_int_equal(list.n, row[i].n);
		text = sd_cpulist_format(&list);
		assert_string_equal(text, row[i].out);
		free(text);
		sd_cpulist_free(&list);
	}
}

static void malformed_lists_are_refused_and_leave_nothing(void **state)
{
	static const char *const bad[] = {"x", "1,", ",1", "1,,2", "2-1", "-1", "1-", "1-2-3",
		"65536", "99999999999", " 1", "1 2", "0x1", "1,\n"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct sd_cpulist list;

		assert_int_equal(sd_cpulist_parse(bad[i], &list), -EINVAL);
		assert_null(list.cpu);
		assert_int_equal(list.n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_parsed_and_written_in_the_kernels_format),
		cmocka_unit_test(malformed_lists_are_refused_and_leave_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
