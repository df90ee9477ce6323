/*
 * Curves that no level should be read off.
 */
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "microbench/curves/level_curve.h"
#include "kernels/kernels.h"
#include "loops/chase.h"

/* In a memory group of 20 MB: the curve ends before memory is sure to answer. */
static void what_lies_past_the_cache_is_not_called_it(void **state)
{
	const struct sd_level_claims claims = {
		SD_OK(32 * KIB), SD_OK(1 * MIB), SD_OK(32 * MIB), SD_NOT(ABSENT)};
	static const double ns[] = {1.11, 1.12, 1.09, 1.1, 1.11, 1.09, 1.21, 3.82, 3.88, 3.82, 3.85,
		3.98, 3.92, 4.44, 5.11, 6.27, 8.64, 12.2, 14.1, 17.2, 133, 125, 135};
	struct sd_level_point point[sizeof ns / sizeof *ns];
	const size_t n = sizeof ns / sizeof *ns;
	struct sd_levels l;

	(void)state;
	for (size_t i = 0; i < n; i++)
		point[i] = (struct sd_level_point){4 * KIB * pow(2, (double)i / 2), ns[i],
			i < 10   ? NAN
			: i < 20 ? .25
				 : .75};
	sd_levels_find(point, n, &claims, &l);
	assert_int_equal(l.ns[SD_LEVEL_L2].status, SD_STATUS_OK);
	assert_true(!sd_has(l.ns[SD_LEVEL_LLC]) || l.ns[SD_LEVEL_LLC].value < 20);
	assert_int_equal(l.ns[SD_LEVEL_DRAM].status, SD_STATUS_ABSENT);
	assert_int_equal(l.effective_llc.status, SD_STATUS_ABSENT);
}

/* A core that was somebody else's for a while finds none of its lines again. */
static void a_cache_no_larger_than_l2_is_refused(void **state)
{
	const struct sd_level_claims claims = {
		SD_OK(48 * KIB), SD_OK(1 * MIB), SD_OK(480 * MIB), SD_NOT(ABSENT)};
	struct sd_level_point point[64];
	const size_t n = curve(point);
	struct sd_levels l;

	(void)state;
	for (size_t i = 0; i < n; i++)
		if (point[i].bytes > 600 * KIB)
			point[i].ratio = 0.97;
	sd_levels_find(point, n, &claims, &l);
	assert_int_equal(l.effective_llc.status, SD_STATUS_NOISY);
	/* it bounds nothing: the levels are where the curve has them */
	assert_int_equal(l.ns[SD_LEVEL_L2].status, SD_STATUS_OK);
}

/* Measured on an EPYC whose last-level cache neighbours filled: two flat runs of two points. */
static void a_run_that_memory_answers_is_not_the_last_level_cache(void **state)
{
	const struct sd_level_claims claims = {
		SD_OK(32 * KIB), SD_OK(1 * MIB), SD_OK(32 * MIB), SD_NOT(ABSENT)};
	static const double ns[] = {1.1, 1.1, 1.1, 1.09, 1.1, 1.39, 1.15, 4.01, 3.84, 3.86, 3.88,
		3.89, 4.77, 6.05, 7.92, 10.7, 8.44, 11.8, 13.4, 17.8, 121, 145, 174, 154, 159, 163,
		157, 160, 163, 163, 163};
	struct sd_level_point point[sizeof ns / sizeof *ns];
	const size_t n = sizeof ns / sizeof *ns;
	struct sd_levels l;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		point[i] = (struct sd_level_point){4 * KIB * pow(2, (double)i / 2), ns[i], NAN};
		if (i >= 10)
			point[i].ratio = i < 20 ? .25 : i < 22 ? .55 : .95;
	}
	sd_levels_find(point, n, &claims, &l);
	assert_int_equal(l.ns[SD_LEVEL_DRAM].status, SD_STATUS_OK);
	assert_int_equal(l.ns[SD_LEVEL_LLC].status, SD_STATUS_OK);
	assert_true(l.ns[SD_LEVEL_LLC].value < l.ns[SD_LEVEL_DRAM].value / 2);
}

static void latency_in_memory_faster_than_memory_is_refused(void **state)
{
	const struct sd_reuse memory = {SD_OK(0.98), SD_OK(150e-9)},
			      cached = {SD_OK(0.2), SD_OK(150e-9)},
			      unknown = {SD_NOT(UNSUPPORTED), SD_NOT(UNSUPPORTED)};
	char why[96] = "";

	(void)state;
	assert_int_equal(sd_levels_believe(1 << 20, 0.001, 155, &memory, why, sizeof why), 0);
	assert_int_equal(sd_levels_believe(1 << 20, 0.001, 9, &memory, why, sizeof why), -ERANGE);
	assert_non_null(strstr(why, "150.0 ns"));
	assert_int_equal(sd_levels_believe(1 << 20, 0.001, 9, &cached, why, sizeof why), 0);
	assert_int_equal(sd_levels_believe(1 << 20, 0.001, 9, &unknown, why, sizeof why), 0);
	assert_int_equal(sd_levels_believe(1 << 20, 0.5, 155, &unknown, why, sizeof why), -ERANGE);
	assert_int_equal(sd_levels_believe(64, 0.1, 1, &cached, why, sizeof why), 0);
}

/* Both chases through the same tiny memory: only their order differs. */
static void a_chase_that_a_prefetcher_hides_is_refused(void **state)
{
	const size_t n = 4096;
	unsigned char *base = aligned_alloc(4096, n * 64);
	const struct sd_chase c = {base, n, 64, 3};
	struct sd_reuse r;
	char why[96] = "";

	(void)state;
	assert_non_null(base);
	sd_chase_build(&c, 0, n);
	r = sd_reuse_measure(base, n * 64, 1);
	assert_int_equal(sd_levels_believe(n, sd_chase_foreseeable(sd_chase_begin(&c), n, 64), 1e6,
				 &r, why, sizeof why),
		0);
	for (size_t i = 0; i < n; i++)
		*(void **)(void *)(base + 64 * i) = base + 64 * ((i + 1) % n);
	assert_int_equal(
		sd_levels_believe(n, sd_chase_foreseeable(base, n, 64), 1e6, &r, why, sizeof why),
		-ERANGE);
	assert_non_null(strstr(why, "prefetcher"));
	free(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lies_past_the_cache_is_not_called_it),
		cmocka_unit_test(a_cache_no_larger_than_l2_is_refused),
		cmocka_unit_test(a_run_that_memory_answers_is_not_the_last_level_cache),
		cmocka_unit_test(latency_in_memory_faster_than_memory_is_refused),
		cmocka_unit_test(a_chase_that_a_prefetcher_hides_is_refused),
	};

	return cmocka_run_group_tests_name("microbench_levels", tests, NULL, NULL);
}
