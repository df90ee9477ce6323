#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>

#include "base/number.h"

static void whole_numbers_are_digits_within_their_range(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} row[] = {
		{"0", 0, 0},
		{"42", 0, 42},
		{"007", 0, 7},
		{"1000", 0, 1000},
		{"1001", -ERANGE, 0},
		{"18446744073709551615", -ERANGE, 0},
		{"18446744073709551616", -ERANGE, 0},
		{"", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"1e2", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{NULL, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		uint64_t v = 0;

		assert_int_equal(sd_number_u64(row[i].text, 0, 1000, &v), row[i].rc);
		assert_int_equal(v, row[i].value);
	}
}

static void the_largest_whole_number_is_accepted(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(sd_number_u64("18446744073709551615", 0, UINT64_MAX, &v), 0);
	assert_true(v == UINT64_MAX);
}

static void decimal_numbers_are_finite_and_within_their_range(void **state)
{
	static const struct {
		const char *text;
		int rc;
		double value;
	} row[] = {
		{"0.5", 0, 0.5},
		{"-2", 0, -2},
		{"1e2", 0, 100},
		{"1e3", -ERANGE, 0},
		{"1e999", -ERANGE, 0},
		{"nan", -EINVAL, 0},
		{"inf", -EINVAL, 0},
		{"0x1p3", -EINVAL, 0},
		{"1,5", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1s", -EINVAL, 0},
		{"", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"1e", -EINVAL, 0},
		{NULL, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		double v = 0;

		assert_int_equal(sd_number_double(row[i].text, -100, 100, &v), row[i].rc);
		assert_true(v == row[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_are_digits_within_their_range),
		cmocka_unit_test(the_largest_whole_number_is_accepted),
		cmocka_unit_test(decimal_numbers_are_finite_and_within_their_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
