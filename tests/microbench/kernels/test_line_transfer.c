/*
 * The pair matrix.
 */
#include "support/kernel_fixture.h"
#include "kernels/kernels.h"

static int the_nearest_is_no_farther(const struct fixture *f)
{
	static const char *const op[] = {"op=load-store", "op=cas"};
	int held = 1;

	fixture_rows_are_sane(f, "transfer");
	assert_int_equal(f->rows.n, f->topology.n_pu * (f->topology.n_pu - 1) / 2 * 4);
	for (int i = 0; i < 2; i++) {
		char middle[64], nearest[64];

		snprintf(middle, sizeof(middle), "%s lines=4 line=median", op[i]);
		snprintf(nearest, sizeof(nearest), "%s lines=4 line=nearest", op[i]);
		held &= fixture_median(f, nearest, 2) <= fixture_median(f, middle, 2);
	}
	return held;
}

static void every_pair_has_both_operations_and_the_nearest_line_is_not_the_farther(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 4);
	FIXTURE_NEEDS_TWO(&f, __func__);
	fixture_must_hold(&sd_kernel_line_transfer, 4, 1, the_nearest_is_no_farther, __func__);
}

static void a_budget_too_small_for_all_pairs_still_gives_a_whole_matrix(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 4);
	FIXTURE_NEEDS_TWO(&f, __func__);
	f.env.budget_s = 1e-6;
	assert_int_equal(sd_kernel_line_transfer.run(&f.env, &f.rows), 0);
	fixture_rows_are_sane(&f, "transfer");
	assert_int_equal(f.rows.n, 4);
	fixture_free(&f);
}

/* 16 last-level caches of 2 cores with 2 threads, none of them real: only the choice is of
 * interest.
 */
static void a_sample_of_a_large_machine_has_every_kind_of_distance(void **state)
{
	enum { PUS = 64, FIRST = SD_CPU_MAX - PUS };
	unsigned siblings = 0, neighbours = 0, far = 0;
	struct sd_pu pu[PUS];
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	for (unsigned i = 0; i < PUS; i++) {
		const unsigned core = i % (PUS / 2);

		pu[i] = (struct sd_pu){
			.os = FIRST + i, .core = core, .smt_rank = i / (PUS / 2), .llc = core / 2};
	}
	f.topology.pu = pu;
	f.topology.n_pu = f.topology.n_online = f.topology.granted = PUS;
	f.topology.n_core = PUS / 2;
	f.topology.n_llc = PUS / 4;
	assert_int_equal(sd_kernel_line_transfer.run(&f.env, &f.rows), 0);
	/* Ten CPUs, four rows a pair. */
	assert_int_equal(f.rows.n, 10 * 9 / 2 * 4);
	for (size_t i = 0; i < f.rows.n; i++) {
		struct sd_cpulist pair;

		assert_int_not_equal(f.rows.row[i].status, SD_STATUS_OK);
		assert_int_equal(sd_cpulist_parse(f.rows.row[i].cpus, &pair), 0);
		assert_int_equal(pair.n, 2);
		if (pu[pair.cpu[0] - FIRST].core == pu[pair.cpu[1] - FIRST].core)
			siblings++;
		else if (pu[pair.cpu[0] - FIRST].llc == pu[pair.cpu[1] - FIRST].llc)
			neighbours++;
		else
			far++;
		sd_cpulist_free(&pair);
	}
	assert_true(siblings > 0);
	assert_true(neighbours > 0);
	assert_true(far > 0);
	fixture_free(&f);
}

static void one_cpu_is_unsupported_in_words(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	assert_int_equal(sd_kernel_line_transfer.run(&f.env, &f.rows), 0);
	assert_int_equal(f.rows.n, 1);
	assert_int_equal(f.rows.row[0].status, SD_STATUS_UNSUPPORTED);
	assert_true(strlen(f.rows.row[0].why) > 0);
	fixture_free(&f);
}

static void a_cpu_that_is_not_there_gives_no_number(void **state)
{
	(void)state;
	fixture_bears_a_missing_cpu(&sd_kernel_line_transfer);
}

static void after_its_deadline_it_measures_nothing(void **state)
{
	(void)state;
	fixture_minds_the_deadline(&sd_kernel_line_transfer);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 2);
	FIXTURE_NEEDS_TWO(&f, __func__);
	fixture_stops(&sd_kernel_line_transfer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_pair_has_both_operations_and_the_nearest_line_is_not_the_farther),
		cmocka_unit_test(a_budget_too_small_for_all_pairs_still_gives_a_whole_matrix),
		cmocka_unit_test(a_sample_of_a_large_machine_has_every_kind_of_distance),
		cmocka_unit_test(one_cpu_is_unsupported_in_words),
		cmocka_unit_test(a_cpu_that_is_not_there_gives_no_number),
		cmocka_unit_test(after_its_deadline_it_measures_nothing),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
