/*
 * Plateaus of curves whose levels are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "curves/plateau.h"

static const struct sd_plateau_rule rule = {.flat = 0.2, .span = 2};

/* Latency in ns over KiB: L1 to 32, L2 to 1024, LLC to 32768, DRAM; a climb between each. */
static const double kib[] = {4, 8, 16, 32, 48, 64, 128, 256, 512, 1024, 1536, 2048, 4096, 8192,
	16384, 32768, 49152, 65536, 131072, 262144, 524288};
static const double ns[] = {0.95, 0.95, 0.96, 0.95, 1.9, 3.7, 3.8, 3.8, 3.85, 3.9, 6.5, 10.5, 11.5,
	12.0, 11.9, 12.3, 60, 110, 172, 177, 178};
#define N (sizeof(kib) / sizeof(*kib))

static void three_caches_and_memory_are_four_plateaus(void **state)
{
	static const struct {
		double first, last, level;
	} expected[] = {{4, 32, 0.95}, {64, 1024, 3.8}, {2048, 32768, 11.9}, {131072, 524288, 177}};
	struct sd_plateau p[8];

	(void)state;
	assert_int_equal(sd_plateau_all(kib, ns, N, rule, p, 8), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_float_equal(kib[p[i].first], expected[i].first, 0);
		assert_float_equal(kib[p[i].last], expected[i].last, 0);
		assert_float_equal(p[i].level, expected[i].level, 0.005);
	}
}

static void a_flat_curve_is_one_plateau(void **state)
{
	static const double x[] = {1, 2, 4, 8}, y[] = {5, 5.1, 4.9, 5};
	struct sd_plateau p[2];

	(void)state;
	assert_int_equal(sd_plateau_all(x, y, 4, rule, p, 2), 1);
	assert_int_equal(p[0].first, 0);
	assert_int_equal(p[0].last, 3);
	assert_float_equal(p[0].level, 5, 1e-12);
}

static void a_steady_climb_has_no_plateau(void **state)
{
	double x[20], y[20];
	struct sd_plateau p[2];

	(void)state;
	for (int i = 0; i < 20; i++) {
		x[i] = i ? x[i - 1] * 1.5 : 1;
		y[i] = i ? y[i - 1] * 1.15 : 1;
	}
	assert_int_equal(sd_plateau_all(x, y, 20, rule, p, 2), 0);
}

static void two_levels_with_one_outlier_between_equal_ones_are_joined(void **state)
{
	static const double x[] = {1, 2, 4, 8, 16, 32, 64}, y[] = {5, 5, 5, 9, 5, 5, 5};
	struct sd_plateau p[2];

	(void)state;
	assert_int_equal(sd_plateau_all(x, y, 7, rule, p, 2), 1);
	assert_int_equal(p[0].first, 0);
	assert_int_equal(p[0].last, 6);
	assert_float_equal(p[0].level, 5, 1e-12);
}

static void too_few_points_have_none(void **state)
{
	static const double x[] = {4}, y[] = {1};
	struct sd_plateau p[1];

	(void)state;
	assert_int_equal(sd_plateau_all(x, y, 0, rule, p, 1), 0);
	assert_int_equal(sd_plateau_all(x, y, 1, rule, p, 1), 0);
}

static void more_than_the_room_for_them_are_counted_not_written(void **state)
{
	struct sd_plateau p[3] = {{0}};

	(void)state;
	assert_int_equal(sd_plateau_all(kib, ns, N, rule, p, 2), 4);
	assert_float_equal(p[1].level, 3.8, 1e-12);
	assert_int_equal(p[2].last, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_caches_and_memory_are_four_plateaus),
		cmocka_unit_test(a_flat_curve_is_one_plateau),
		cmocka_unit_test(a_steady_climb_has_no_plateau),
		cmocka_unit_test(two_levels_with_one_outlier_between_equal_ones_are_joined),
		cmocka_unit_test(too_few_points_have_none),
		cmocka_unit_test(more_than_the_room_for_them_are_counted_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
