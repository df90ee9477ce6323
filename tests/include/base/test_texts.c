/* Sentences: a number that is 0 as printed has no sign. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/texts.h"

static void a_zero_has_no_sign(void **state)
{
	static const struct {
		const char *in, *out;
	} row[] = {
		{"-0.00 of 2 cores (95 %: -0.01 to -0.00)",
			"0.00 of 2 cores (95 %: -0.01 to 0.00)"},
		{"takes -0 % more (-0.0)", "takes 0 % more (0.0)"},
		{"-0.5 and -0.0e1 and -00", "-0.5 and -0.0e1 and -00"},
		{"1-0 and a-0", "1-0 and a-0"},
		{"", ""},
		{"-", "-"},
		{"ends in -0.", "ends in 0."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_texts t = {0};

		assert_int_equal(sd_texts_add(&t, "%s", row[i].in), 0);
		sd_texts_unsign_zeroes(&t);
		assert_string_equal(t.text[0], row[i].out);
		sd_texts_free(&t);
	}
	sd_texts_unsign_zeroes(&(struct sd_texts){0});
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_zero_has_no_sign)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
