/*
 * The clock by a chain of additions.
 */
#include "support/kernel_fixture.h"
#include "kernels/kernels.h"

static void an_addition_takes_at_least_a_cycle_of_any_core_that_exists(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	assert_int_equal(sd_kernel_frequency.run(&f.env, &f.rows), 0);
	fixture_rows_are_sane(&f, "frequency");
	assert_int_equal(f.rows.n, 1);
	/* 10 GHz, in ns: a chain that the compiler or the core had cut short would be far below. */
	assert_true(f.rows.row[0].high > 0.1);
	assert_true(f.rows.row[0].median > 0.1);
	fixture_free(&f);
}

/* Ten steps of turbo are less than a factor of three, in either direction. */
static int clocks_are_alike(const struct fixture *f)
{
	const double ratio = fixture_median(f, "quantity=clock/alone", 2);

	fixture_rows_are_sane(f, "frequency");
	return ratio > 0.3 && ratio < 3;
}

static void the_clock_of_two_cores_is_compared_with_that_of_one(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 2);
	FIXTURE_NEEDS_TWO(&f, __func__);
	fixture_must_hold(&sd_kernel_frequency, 2, 1, clocks_are_alike, __func__);
}

static void a_cpu_that_is_not_there_gives_no_number(void **state)
{
	(void)state;
	fixture_bears_a_missing_cpu(&sd_kernel_frequency);
}

static void after_its_deadline_it_measures_nothing(void **state)
{
	(void)state;
	fixture_minds_the_deadline(&sd_kernel_frequency);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	(void)state;
	fixture_stops(&sd_kernel_frequency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_addition_takes_at_least_a_cycle_of_any_core_that_exists),
		cmocka_unit_test(the_clock_of_two_cores_is_compared_with_that_of_one),
		cmocka_unit_test(a_cpu_that_is_not_there_gives_no_number),
		cmocka_unit_test(after_its_deadline_it_measures_nothing),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
