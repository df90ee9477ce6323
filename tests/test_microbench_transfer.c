/*
 * The pair matrix.
 */
#include "kernel_fixture.h"
#include "kernels.h"

static void every_pair_has_both_operations_and_the_nearest_line_is_not_the_farther(void **state)
{
	static const char *const op[] = {"op=load-store", "op=cas"};
	struct fixture f;

	(void)state;
	fixture_init(&f, 4);
	FIXTURE_NEEDS_TWO(&f, __func__);
	assert_int_equal(sd_kernel_transfer.run(&f.env, &f.rows), 0);
	fixture_rows_are_sane(&f, "transfer");
	assert_int_equal(f.rows.n, f.topology.n_pu * (f.topology.n_pu - 1) / 2 * 4);
	for (int i = 0; i < 2; i++) {
		char middle[64], nearest[64];

		snprintf(middle, sizeof(middle), "%s lines=4 line=median", op[i]);
		snprintf(nearest, sizeof(nearest), "%s lines=4 line=nearest", op[i]);
		assert_true(fixture_median(&f, nearest, 2) <= fixture_median(&f, middle, 2));
	}
	fixture_free(&f);
}

static void a_budget_too_small_for_all_pairs_still_gives_a_whole_matrix(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 4);
	FIXTURE_NEEDS_TWO(&f, __func__);
	f.env.budget_s = 1e-6;
	assert_int_equal(sd_kernel_transfer.run(&f.env, &f.rows), 0);
	fixture_rows_are_sane(&f, "transfer");
	assert_int_equal(f.rows.n, 4);
	fixture_free(&f);
}

static void one_cpu_is_unsupported_in_words(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	assert_int_equal(sd_kernel_transfer.run(&f.env, &f.rows), 0);
	assert_int_equal(f.rows.n, 1);
	assert_int_equal(f.rows.row[0].status, SD_STATUS_UNSUPPORTED);
	assert_true(strlen(f.rows.row[0].why) > 0);
	fixture_free(&f);
}

static void a_cpu_that_is_not_there_gives_no_number(void **state)
{
	(void)state;
	fixture_bears_a_missing_cpu(&sd_kernel_transfer);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 2);
	FIXTURE_NEEDS_TWO(&f, __func__);
	fixture_stops(&sd_kernel_transfer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_pair_has_both_operations_and_the_nearest_line_is_not_the_farther),
		cmocka_unit_test(a_budget_too_small_for_all_pairs_still_gives_a_whole_matrix),
		cmocka_unit_test(one_cpu_is_unsupported_in_words),
		cmocka_unit_test(a_cpu_that_is_not_there_gives_no_number),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
