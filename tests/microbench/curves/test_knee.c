/*
 * Knees of curves whose tables are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "curves/knee.h"

#define N_MAX 64

/* Cost of n pages in a table of `entries` in `sets` sets that forget the least recently used one:
 * all pages of a set that has one too many miss. */
static double cost_of(unsigned n, unsigned entries, unsigned sets)
{
	const unsigned ways = entries / sets;
	double misses = 0;

	for (unsigned s = 0; s < sets; s++) {
		const unsigned pages = n / sets + (s < n % sets);

		misses += pages > ways ? pages : 0;
	}
	return 1 + 1.4 * misses / n;
}

static void any_number_of_ways_is_found_exactly(void **state)
{
	static const struct {
		unsigned entries, sets, low, high;
	} row[] = {{64, 16, 45, 76}, {96, 16, 76, 110}, {96, 1, 76, 110}, {64, 1, 60, 67},
		{72, 1, 64, 90}, {48, 1, 38, 64}, {40, 1, 38, 45}, {32, 8, 22, 38}};
	double x[N_MAX], y[N_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		size_t n = 0;

		for (unsigned p = row[i].low; p <= row[i].high; p++, n++) {
			x[n] = p;
			y[n] = cost_of(p, row[i].entries, row[i].sets);
		}
		assert_float_equal(x[sd_knee(x, y, n)], row[i].entries, 0);
	}
}

/* As seen on a Cascade Lake (64 entries, 4 ways) from 48 pages on, while its sibling thread took
 * entries: the curve rises long before the table is full. */
static void entries_that_others_take_do_not_move_it(void **state)
{
	static const double seen[][25] = {
		{1.005, 1.028, 1.039, 1.059, 1.059, 1.077, 1.092, 1.108, 1.121, 1.138, 1.130, 1.127,
			1.145, 1.209, 1.271, 1.274, 1.277, 1.434, 1.577, 1.718, 1.874, 2.035, 2.177,
			2.297, 2.421},
		{1.017, 1.013, 1.028, 1.025, 1.030, 1.055, 1.084, 1.073, 1.089, 1.090, 1.122, 1.133,
			1.182, 1.267, 1.279, 1.280, 1.267, 1.478, 1.637, 1.806, 1.969, 2.098, 2.197,
			2.307, 2.458},
		{1.010, 1.034, 1.065, 1.076, 1.079, 1.076, 1.078, 1.076, 1.108, 1.122, 1.137, 1.125,
			1.149, 1.202, 1.265, 1.266, 1.272, 1.450, 1.625, 1.735, 1.911, 2.073, 2.116,
			2.284, 2.421},
	};
	double x[25];

	(void)state;
	for (int i = 0; i < 25; i++)
		x[i] = 48 + i;
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++)
		assert_float_equal(x[sd_knee(x, seen[i], 25)], 64, 0);
}

/* As seen on a Zen 4 (72 entries, fully associative) from 60 pages on. */
static void one_page_too_many_need_not_miss_often(void **state)
{
	static const double seen[][20] = {
		{1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.004, 1.009, 1.009, 1.018,
			1.018, 1.180, 2.329, 2.343, 2.744, 2.744, 2.744, 2.744},
		{1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.004, 1.009, 1.009, 1.018,
			1.022, 1.176, 2.744, 2.744, 2.744, 2.744, 2.744, 2.744},
	};
	double x[20];

	(void)state;
	for (int i = 0; i < 20; i++)
		x[i] = 60 + i;
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++)
		assert_float_equal(x[sd_knee(x, seen[i], 20)], 72, 0);
}

static void what_does_not_climb_has_none(void **state)
{
	static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8}, flat[] = {3, 3, 3, 3, 3, 3, 3, 3},
			    line[] = {1, 2, 3, 4, 5, 6, 7, 8}, fall[] = {8, 7, 6, 5, 4, 3, 2, 1};

	(void)state;
	assert_int_equal(sd_knee(x, flat, 8), 8);
	assert_int_equal(sd_knee(x, line, 8), 8);
	assert_int_equal(sd_knee(x, fall, 8), 8);
	assert_int_equal(sd_knee(x, line, 3), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_ways_is_found_exactly),
		cmocka_unit_test(entries_that_others_take_do_not_move_it),
		cmocka_unit_test(one_page_too_many_need_not_miss_often),
		cmocka_unit_test(what_does_not_climb_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
