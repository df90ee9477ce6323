#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "microbench/curves/level_curve.h"
#include "loops/chase.h"
#include "kernels/kernels.h"

static void four_plateaus_are_found_and_named(void **state)
{
	const struct sd_level_claims claims = {
		SD_OK(48 * KIB), SD_OK(1 * MIB), SD_OK(480 * MIB), SD_NOT(ABSENT)};
	struct sd_level_point point[64];
	const size_t n = curve(point);
	struct sd_levels l;

	(void)state;
	sd_levels_find(point, n, &claims, &l);
	for (int i = 0; i < SD_LEVEL_COUNT; i++)
		assert_int_equal(l.ns[i].status, SD_STATUS_OK);
	assert_true(l.ns[SD_LEVEL_L1].value >= 1 && l.ns[SD_LEVEL_L1].value < 1.1);
	assert_true(l.ns[SD_LEVEL_L2].value >= 4 && l.ns[SD_LEVEL_L2].value < 4.3);
	assert_true(l.ns[SD_LEVEL_LLC].value >= 12 && l.ns[SD_LEVEL_LLC].value < 14);
	assert_true(l.ns[SD_LEVEL_DRAM].value > 150 && l.ns[SD_LEVEL_DRAM].value < 180);
	assert_true(l.bytes[SD_LEVEL_L1].value <= 48 * KIB);
	/* the cache the machine claims is 480 MiB, what it has is between 16 and 32 */
	assert_int_equal(l.effective_llc.status, SD_STATUS_OK);
	assert_true(l.effective_llc.value > 16 * MIB && l.effective_llc.value < 33 * MIB);
	assert_true(l.effective_llc.low <= l.effective_llc.value &&
		    l.effective_llc.value <= l.effective_llc.high);
}

static void without_claims_what_the_last_level_holds_names_them(void **state)
{
	const struct sd_level_claims none = {
		SD_NOT(ABSENT), SD_NOT(ABSENT), SD_NOT(ABSENT), SD_NOT(ABSENT)};
	struct sd_level_point point[64];
	const size_t n = curve(point);
	struct sd_levels l;

	(void)state;
	sd_levels_find(point, n, &none, &l);
	assert_true(l.ns[SD_LEVEL_L2].value >= 4 && l.ns[SD_LEVEL_L2].value < 4.3);
	assert_true(l.ns[SD_LEVEL_LLC].value >= 12 && l.ns[SD_LEVEL_LLC].value < 14);
}

/* The climb between two levels is lost where it is disturbed, and a level with it: the others keep
 * their names. */
static void a_level_keeps_its_name_when_another_is_lost(void **state)
{
	const struct sd_level_claims none = {SD_NOT(ABSENT), SD_NOT(ABSENT), SD_NOT(ABSENT),
					     SD_NOT(ABSENT)},
				     all = {SD_OK(48 * KIB), SD_OK(1 * MIB), SD_OK(480 * MIB),
					     SD_NOT(ABSENT)};
	const struct sd_level_claims *const claims[] = {&none, &all};
	struct sd_level_point point[64];
	const size_t n = curve(point);
	struct sd_levels l;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct sd_level_point lost[64];

		/* no flat octave is left of the last-level cache */
		memcpy(lost, point, sizeof lost);
		for (size_t i = 0; i < n; i++)
			if (lost[i].bytes > 1 * MIB && lost[i].bytes <= 24 * MIB)
				lost[i].ns = 8 * pow(1.4, (double)i - 17);
		sd_levels_find(lost, n, claims[k], &l);
		assert_true(l.ns[SD_LEVEL_L2].value >= 4 && l.ns[SD_LEVEL_L2].value < 4.3);
		assert_true(l.ns[SD_LEVEL_DRAM].value > 150);
		/* nor of the core's own second level */
		memcpy(lost, point, sizeof lost);
		for (size_t i = 0; i < n; i++)
			if (lost[i].bytes > 48 * KIB && lost[i].bytes <= 1.5 * MIB)
				lost[i].ns = 1.3 * pow(1.4, (double)i - 8);
		sd_levels_find(lost, n, claims[k], &l);
		assert_int_equal(l.ns[SD_LEVEL_L2].status, SD_STATUS_ABSENT);
		assert_true(l.ns[SD_LEVEL_LLC].value >= 12 && l.ns[SD_LEVEL_LLC].value < 14);
	}
}

static void what_takes_as_long_as_a_flushed_line_is_no_cache(void **state)
{
	struct sd_level_claims claims = {
		SD_OK(48 * KIB), SD_OK(1 * MIB), SD_OK(480 * MIB), SD_OK(155)};
	struct sd_level_point point[64];
	const size_t n = curve(point);
	struct sd_levels l;

	(void)state;
	/* memory answers early, and a disturbed ratio far out says that it does not */
	for (size_t i = 0; i < n; i++) {
		if (point[i].bytes > 0.8 * MIB)
			point[i].ns = 150;
		if (point[i].bytes > 128 * KIB)
			point[i].ratio = point[i].bytes > 300 * MIB ? 0.97 : 0.5;
	}
	sd_levels_find(point, n, &claims, &l);
	assert_int_equal(l.ns[SD_LEVEL_LLC].status, SD_STATUS_ABSENT);
	assert_true(l.ns[SD_LEVEL_DRAM].value == 150);
	/* what was called before it was known how long memory takes */
	claims.memory = SD_NOT(ABSENT);
	sd_levels_find(point, n, &claims, &l);
	assert_int_equal(l.ns[SD_LEVEL_LLC].status, SD_STATUS_OK);
}

/* A core's own cache in two steps, as the pages lie: no last level that answers within a cycle. */
static void no_last_level_answers_in_the_second_ones_time(void **state)
{
	const struct sd_level_claims claims = {
		SD_OK(48 * KIB), SD_OK(1 * MIB), SD_OK(480 * MIB), SD_OK(155)};
	struct sd_level_point point[64];
	const size_t n = curve(point);
	struct sd_levels l;

	(void)state;
	for (size_t i = 0; i < n; i++)
		if (point[i].bytes > 1 * MIB && point[i].bytes <= 24 * MIB)
			point[i].ns = 5.5;
	sd_levels_find(point, n, &claims, &l);
	assert_true(l.ns[SD_LEVEL_L2].value >= 4 && l.ns[SD_LEVEL_L2].value < 4.3);
	assert_int_equal(l.ns[SD_LEVEL_LLC].status, SD_STATUS_ABSENT);
}

static void a_curve_that_never_reaches_memory_has_no_dram(void **state)
{
	const struct sd_level_claims claims = {
		SD_OK(48 * KIB), SD_OK(1 * MIB), SD_OK(32 * MIB), SD_NOT(ABSENT)};
	struct sd_level_point point[64];
	const size_t n = curve(point);
	size_t k = 0;
	struct sd_levels l;

	(void)state;
	while (k < n && point[k].bytes <= 16 * MIB)
		k++;
	sd_levels_find(point, k, &claims, &l);
	assert_int_equal(l.ns[SD_LEVEL_LLC].status, SD_STATUS_OK);
	assert_int_equal(l.ns[SD_LEVEL_DRAM].status, SD_STATUS_ABSENT);
	assert_int_equal(l.effective_llc.status, SD_STATUS_ABSENT);
	/* nor when nobody knows from where on it is memory */
	for (size_t i = 0; i < n; i++)
		point[i].ratio = NAN;
	sd_levels_find(point, n, &claims, &l);
	assert_int_equal(l.ns[SD_LEVEL_DRAM].status, SD_STATUS_ABSENT);
}

static void memory_in_two_steps_is_not_a_cache(void **state)
{
	const struct sd_level_claims claims = {
		SD_OK(48 * KIB), SD_OK(1 * MIB), SD_OK(480 * MIB), SD_NOT(ABSENT)};
	struct sd_level_point point[64];
	const size_t n = curve(point);
	struct sd_levels l;

	(void)state;
	/* what address translation adds once its tables do not fit the caches any more */
	for (size_t i = 0; i < n; i++)
		point[i].ns *= point[i].bytes > 200 * MIB ? 1.5 : 1;
	sd_levels_find(point, n, &claims, &l);
	assert_true(l.ns[SD_LEVEL_LLC].value < 14);
	assert_true(l.ns[SD_LEVEL_DRAM].value > 225);
}

static void a_last_level_cache_without_an_octave_is_found(void **state)
{
	const struct sd_level_claims claims = {
		SD_OK(48 * KIB), SD_OK(2 * MIB), SD_OK(480 * MIB), SD_NOT(ABSENT)};
	struct sd_level_point point[64];
	struct sd_levels l;
	size_t n = 0;

	(void)state;
	for (double b = 4 * KIB; b < 300 * MIB; b *= sqrt(2), n++) {
		point[n].bytes = b;
		point[n].ns = b <= 48 * KIB    ? 1
			      : b <= 1 * MIB   ? 4
			      : b <= 1.5 * MIB ? 12
			      : b <= 2.1 * MIB ? 26
			      : b <= 4.2 * MIB ? 35 + 0.2 * (double)n
			      : b <= 6 * MIB   ? 60
			      : b <= 8.2 * MIB ? 90
					       : 160;
		point[n].ratio = b <= 128 * KIB   ? NAN
				 : b <= 4.2 * MIB ? 0.22
				 : b <= 6 * MIB   ? 0.5
						  : 0.95;
	}
	sd_levels_find(point, n, &claims, &l);
	assert_int_equal(l.ns[SD_LEVEL_LLC].status, SD_STATUS_OK);
	assert_true(l.ns[SD_LEVEL_LLC].value > 34 && l.ns[SD_LEVEL_LLC].value < 45);
	assert_true(l.ns[SD_LEVEL_L2].value < 5 && l.ns[SD_LEVEL_DRAM].value > 150);
}

/* Measured on a core whose sibling thread belonged to somebody else: half of L1 and L2 were his. */
static void what_has_left_the_second_level_is_between_it_and_memory(void **state)
{
	const struct sd_value l2 = SD_OK(4), memory = SD_OK(120), none = SD_NOT(ABSENT);
	unsigned found = 0;

	(void)state;
	for (double ns = 1; ns < 200; ns++) {
		const int is = sd_levels_is_llc(ns, l2, memory);

		assert_true(!is || (ns > l2.value && ns < memory.value));
		assert_false(sd_levels_is_llc(ns, none, memory));
		assert_false(sd_levels_is_llc(ns, l2, none));
		found += is != 0;
	}
	assert_true(found > 0);
}

static void a_shared_l2_is_not_the_last_level_cache(void **state)
{
	const struct sd_level_claims claims = {
		SD_OK(32 * KIB), SD_OK(1 * MIB), SD_OK(36 * MIB), SD_NOT(ABSENT)};
	static const double ns[] = {1.5, 1.5, 1.51, 1.51, 1.53, 1.84, 3.6, 4.42, 4.87, 4.66, 4.95,
		5.37, 5.86, 6.99, 7.03, 10.1, 18.4, 24.6, 25.6, 38.6, 66.4, 101, 104, 107, 110, 106,
		110};
	struct sd_level_point point[sizeof ns / sizeof *ns];
	const size_t n = sizeof ns / sizeof *ns;
	struct sd_levels l;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		point[i] = (struct sd_level_point){4 * KIB * pow(2, (double)i / 2), ns[i], NAN};
		if (i >= 10)
			point[i].ratio = i < 19 ? .25 : i == 19 ? .45 : i == 20 ? .7 : .95;
	}
	sd_levels_find(point, n, &claims, &l);
	assert_true(l.ns[SD_LEVEL_L1].value < 1.6 && l.ns[SD_LEVEL_L2].value < 5.5);
	assert_true(l.ns[SD_LEVEL_LLC].value > 24 && l.ns[SD_LEVEL_LLC].value < 26);
	assert_true(l.ns[SD_LEVEL_DRAM].value > 100);
	/* with too little memory to be sure of DRAM, what begins past the LLC is not called LLC */
	for (size_t i = 21; i < 24; i++)
		point[i].ratio = i < 23 ? .8 : .95;
	sd_levels_find(point, 24, &claims, &l);
	assert_true(l.ns[SD_LEVEL_LLC].value > 24 && l.ns[SD_LEVEL_LLC].value < 26);
	assert_int_equal(l.ns[SD_LEVEL_DRAM].status, SD_STATUS_ABSENT);
	/* of a curve that begins beyond L1 nothing is L1 */
	sd_levels_find(point + 6, n - 6, &claims, &l);
	assert_int_equal(l.ns[SD_LEVEL_L1].status, SD_STATUS_ABSENT);
	assert_true(l.ns[SD_LEVEL_L2].value > 4 && l.ns[SD_LEVEL_L2].value < 5.5);
	assert_true(l.ns[SD_LEVEL_LLC].value > 24 && l.ns[SD_LEVEL_LLC].value < 26);
}

static struct sd_pu pu[] = {{.os = 0}};

static void the_kernel_finds_l1_faster_than_anything_larger(void **state)
{
	const struct sd_topology t = {.pu = pu,
		.n_pu = 1,
		.n_core = 1,
		.n_llc = 1,
		.granted = 1,
		.llc_bytes = SD_OK(1 << 20),
		.l2_bytes = SD_OK(256 << 10),
		.l1d_bytes = SD_OK(32 << 10)};
	const struct sd_kernel_env env = {
		.topology = &t, .quick = 1, .budget_s = 0.5, .memory_limit = 4 << 20};
	struct sd_bench_rows rows = {0};
	double smallest = NAN, largest = NAN;

	(void)state;
	assert_int_equal(sd_kernel_latency.run(&env, &rows), 0);
	for (size_t i = 0; i < rows.n; i++) {
		const struct sd_bench_row *r = &rows.row[i];

		if (!strstr(r->variant, "pages=4KiB") || strstr(r->variant, "level") ||
			r->status != SD_STATUS_OK || r->n == 0)
			continue;
		assert_true(r->low <= r->q1 && r->q1 <= r->median && r->median <= r->q3 &&
			    r->q3 <= r->high);
		if (!(r->parameter > 4096))
			smallest = r->median;
		if (r->parameter >= 2 << 20)
			largest = r->median;
	}
	if (isnan(smallest) || isnan(largest)) {
		fprintf(stderr,
			"SKIP: the_kernel_finds_l1_faster_than_anything_larger: too noisy\n");
		sd_bench_rows_free(&rows);
		skip();
	}
	assert_true(smallest < largest);
	sd_bench_rows_free(&rows);
}

static void loaded_latency_takes_two_cores(void **state)
{
	const struct sd_topology t = {.pu = pu, .n_pu = 1, .n_core = 1, .n_llc = 1, .granted = 1};
	const struct sd_kernel_env env = {
		.topology = &t, .quick = 1, .budget_s = 0.1, .memory_limit = 4 << 20};
	struct sd_bench_rows rows = {0};

	(void)state;
	assert_int_equal(sd_kernel_loaded_latency.run(&env, &rows), 0);
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.row[0].status, SD_STATUS_UNSUPPORTED);
	assert_non_null(strstr(rows.row[0].why, "two cores"));
	sd_bench_rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_plateaus_are_found_and_named),
		cmocka_unit_test(without_claims_what_the_last_level_holds_names_them),
		cmocka_unit_test(a_level_keeps_its_name_when_another_is_lost),
		cmocka_unit_test(what_takes_as_long_as_a_flushed_line_is_no_cache),
		cmocka_unit_test(no_last_level_answers_in_the_second_ones_time),
		cmocka_unit_test(a_curve_that_never_reaches_memory_has_no_dram),
		cmocka_unit_test(memory_in_two_steps_is_not_a_cache),
		cmocka_unit_test(a_last_level_cache_without_an_octave_is_found),
		cmocka_unit_test(a_shared_l2_is_not_the_last_level_cache),
		cmocka_unit_test(what_has_left_the_second_level_is_between_it_and_memory),
		cmocka_unit_test(the_kernel_finds_l1_faster_than_anything_larger),
		cmocka_unit_test(loaded_latency_takes_two_cores),
	};

	return cmocka_run_group_tests_name("microbench_levels", tests, NULL, NULL);
}
