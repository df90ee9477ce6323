#include "base/time_shares.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define KERNELS 6u
#define ROUNDING 1e-9

static const double weight[KERNELS] = {0.5, 1, 2, 5, 9, 4};
static const struct sd_time_shares shares = {.total = 140, .end = 170, .all = 21.5};

static double after(size_t i)
{
	double sum = 0;

	for (size_t k = i + 1; k < KERNELS; k++)
		sum += weight[k];
	return sum;
}

static double planned(size_t i)
{
	return shares.total * weight[i] / shares.all;
}

static void kernels_that_keep_to_their_budget_have_what_was_planned(void **state)
{
	double now = 0;

	(void)state;
	for (size_t i = 0; i < KERNELS; i++) {
		const struct sd_share s = sd_share_of(&shares, now, weight[i], after(i));

		assert_float_equal(s.budget, planned(i), 1e-6);
		assert_true(s.end >= now + s.budget);
		now += s.budget;
	}
	assert_float_equal(now, shares.total, 1e-6);
}

static void what_is_left_over_goes_to_those_behind(void **state)
{
	const struct sd_share s = sd_share_of(&shares, 0, weight[4], after(4));

	(void)state;
	assert_float_equal(s.budget, shares.total * 9 / 13, 1e-6);
}

/* Each uses up all it is allowed to, as on a busy machine. */
static void greedy_kernels_leave_half_to_each_that_follows(void **state)
{
	double now = 0;

	(void)state;
	for (size_t i = 0; i < KERNELS; i++) {
		const struct sd_share s = sd_share_of(&shares, now, weight[i], after(i));

		assert_true(s.end - now >= planned(i) / 2 - ROUNDING);
		assert_true(s.budget >= planned(i) / 2 - ROUNDING);
		assert_true(s.end <= shares.end);
		now = s.end;
	}
	assert_float_equal(now, shares.end, 1e-6);
}

/* A single step may take longer than allowed: the next one still gets something, then the end. */
static void a_late_kernel_has_its_reserve_until_the_end(void **state)
{
	const struct sd_share late = sd_share_of(&shares, 150, weight[2], after(2)),
			      over = sd_share_of(&shares, 171, weight[5], after(5));

	(void)state;
	assert_float_equal(late.end, 150 + planned(2) / 2, 1e-6);
	assert_true(over.end <= 171);
	assert_true(over.budget > 0);
}

static void one_kernel_alone_has_it_all(void **state)
{
	const struct sd_time_shares alone = {.total = 4, .end = 18, .all = 1};
	const struct sd_share s = sd_share_of(&alone, 0, 1, 0);

	(void)state;
	assert_float_equal(s.budget, 4, 1e-9);
	assert_float_equal(s.end, 18, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_that_keep_to_their_budget_have_what_was_planned),
		cmocka_unit_test(what_is_left_over_goes_to_those_behind),
		cmocka_unit_test(greedy_kernels_leave_half_to_each_that_follows),
		cmocka_unit_test(a_late_kernel_has_its_reserve_until_the_end),
		cmocka_unit_test(one_kernel_alone_has_it_all),
	};

	return cmocka_run_group_tests_name("base_shares", tests, NULL, NULL);
}
