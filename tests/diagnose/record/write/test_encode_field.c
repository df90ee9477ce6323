/*
 * Numbers have the fewest digits that read back to the same bits.
 */
#include "write/encode_field.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"

static void naive(char *text, size_t size, double v)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, size, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			return;
	}
}

static void check_text(double v, const char *want)
{
	static const struct sd_field field = {.type = SD_FIELD_REAL, .high = DBL_MAX};
	char text[64] = "";
	FILE *const f = fmemopen(text, sizeof text, "w");

	assert_non_null(f);
	assert_int_equal(sd_encode_field_scalar(f, &field, &v), 0);
	assert_int_equal(fclose(f), 0);
	if (strcmp(text, want) != 0)
		fail_msg("%.17g: written as %s, not as %s", v, text, want);
}

static void check(double v)
{
	char want[64];

	naive(want, sizeof want, v);
	check_text(v, want);
}

/* The number and those beside it. */
static void check_around(double v)
{
	check(v);
	check(nextafter(v, 0));
	check(nextafter(v, INFINITY));
}

static double of_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

static void the_fewest_digits_are_written(void **state)
{
	struct sd_random g;

	(void)state;
	check(0);
	check_text(-0.0, "-0.0"); /* a reader of JSON has no whole number with that sign */
	check_around(DBL_MIN);
	check_around(DBL_TRUE_MIN);
	check(DBL_MAX);
	for (int e = -40; e <= 40; e++)
		for (int m = 1; m < 100; m++) {
			char text[32];

			snprintf(text, sizeof text, "%de%d", m, e);
			check_around(strtod(text, NULL));
		}
	sd_random_seed(&g, 3, 0);
	for (int i = 0; i < 50000; i++) {
		const uint64_t high = sd_random_below(&g, 1u << 31),
			       low = sd_random_below(&g, 1u << 31);
		const uint64_t mantissa = (high << 31 | low) & 0x000fffffffffffffu;
		const double digits = (double)(mantissa % 1000000000000000u);
		const double any = of_bits(mantissa | (uint64_t)sd_random_below(&g, 2047) << 52);

		check(any);
		/* of the sizes that seconds and counts have */
		check(of_bits(mantissa | (uint64_t)(1023 - 60 + sd_random_below(&g, 120)) << 52));
		/* of 15 digits or fewer, and beside those */
		check_around(digits / pow(10, (double)sd_random_below(&g, 23)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fewest_digits_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
