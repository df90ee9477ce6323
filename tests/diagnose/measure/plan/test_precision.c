#include "support/measure_fakes.h"

#include <math.h>

#include "plan/precision.h"

static void equal_runs_leave_no_width(void **state)
{
	double a[] = {2, 2, 2}, b[] = {1, 1, 1, 1};

	(void)state;
	assert_true(sd_precision_ratio(a, 3, b, 4, 1) == 0);
}

static void a_single_run_says_nothing(void **state)
{
	double a[] = {2, 2};

	(void)state;
	assert_true(isinf(sd_precision_ratio(a, 1, a, 2, 1)));
	assert_true(isinf(sd_precision_ratio(a, 2, a, 1, 1)));
	assert_true(isinf(sd_precision_ratio(NULL, 0, a, 2, 1)));
}

/* Two runs 1 and 3 against one value: the median of a draw is 1, 2 or 3 with chances 1/4, 1/2, 1/4,
 * so that 95 % reach from 1 to 3: half of the width is 1, of a middle of 2. */
static void the_width_of_two_runs_is_known(void **state)
{
	double a[] = {1, 3}, b[] = {5, 5};

	(void)state;
	assert_true(fabs(sd_precision_ratio(a, 2, b, 2, 7) - 0.5) < 1e-12);
}

static void it_does_not_depend_on_the_unit_and_repeats_exactly(void **state)
{
	double a[] = {1, 1.1, 0.9, 1.05, 0.97}, b[] = {2, 2.2, 1.9, 2.3, 2.1};
	double ms[5];
	const double w = sd_precision_ratio(a, 5, b, 5, 3);

	(void)state;
	for (int i = 0; i < 5; i++)
		ms[i] = a[i] * 1000;
	assert_true(w > 0 && w == sd_precision_ratio(a, 5, b, 5, 3));
	assert_true(fabs(sd_precision_ratio(ms, 5, b, 5, 3) - w) < 1e-9);
}

/* The width of n runs of each, which vary by `spread` about 1. */
static double width_of(size_t n, double spread)
{
	double a[40], b[40];

	for (size_t i = 0; i < n; i++) {
		a[i] = 1 + spread * ((double)((i * 7) % 11) - 5) / 5;
		b[i] = 1 + spread * ((double)((i * 5) % 11) - 5) / 5;
	}
	return sd_precision_ratio(a, n, b, n, 1);
}

static void more_runs_and_less_spread_narrow_it(void **state)
{
	(void)state;
	assert_true(width_of(40, .1) < width_of(6, .1));
	assert_true(width_of(40, .01) < width_of(40, .1) / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_runs_leave_no_width),
		cmocka_unit_test(a_single_run_says_nothing),
		cmocka_unit_test(the_width_of_two_runs_is_known),
		cmocka_unit_test(it_does_not_depend_on_the_unit_and_repeats_exactly),
		cmocka_unit_test(more_runs_and_less_spread_narrow_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
