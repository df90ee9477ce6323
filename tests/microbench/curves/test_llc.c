/* A last-level cache that cannot be as small as it looked: a row without a number, and no size. */
#include "curves/llc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/latency.h"
#include "curves/levels.h"
#include "bench/profile_pick.h"

#define KIB 1024.0
#define MIB (1024.0 * KIB)

static void a_cache_no_larger_than_l2_is_no_size(void **state)
{
	const struct sd_value l2 = SD_OK(1 << 20), none = SD_NOT(ABSENT);

	(void)state;
	assert_int_equal(sd_llc_believed(SD_OK(618 << 10), l2).status, SD_STATUS_ABSENT);
	assert_int_equal(sd_llc_believed(l2, l2).status, SD_STATUS_ABSENT);
	assert_int_equal(sd_llc_believed(SD_OK(2 << 20), l2).status, SD_STATUS_OK);
	/* where L2 is not known nothing is known against it */
	assert_int_equal(sd_llc_believed(l2, none).status, SD_STATUS_OK);
	assert_int_equal(sd_llc_believed(none, l2).status, SD_STATUS_ABSENT);
}

static struct sd_pu pu[] = {{.os = 0}};

/* Two points an octave of a core that was somebody else's for a while: memory has its lines. */
static size_t curve(struct sd_level_point *point)
{
	size_t n = 0;

	for (double b = 4 * KIB; b < 200 * MIB; b *= sqrt(2), n++)
		point[n] = (struct sd_level_point){b,
			b <= 48 * KIB   ? 1
			: b <= 1 * MIB  ? 4
			: b <= 20 * MIB ? 12
					: 150,
			b <= 128 * KIB   ? NAN
			: b <= 600 * KIB ? 0.2
					 : 0.97};
	return n;
}

/* The row of it has that name, no number, and says how much it was; nobody reads a size in it. */
static void a_refused_cache_is_a_row_without_a_number(void **state)
{
	const struct sd_topology t = {
		.pu = pu, .n_pu = 1, .l2_bytes = SD_OK(1 * MIB), .llc_bytes = SD_OK(480 * MIB)};
	const struct sd_kernel_env env = {.topology = &t};
	struct sd_level_point point[64];
	struct sd_bench_rows rows = {0};
	struct sd_latency l = {
		.env = &env, .rows = &rows, .steps = {.env = &env, .kernel = "latency"}};
	size_t refused = 0;

	(void)state;
	l.n_size = curve(point);
	for (size_t i = 0; i < l.n_size; i++) {
		const struct sd_bench_row r = {.kernel = "latency",
			.variant = "pages=4KiB",
			.unit = "ns",
			.parameter = point[i].bytes,
			.parameter_unit = "B",
			.n = 5,
			.median = point[i].ns,
			.q1 = point[i].ns,
			.q3 = point[i].ns,
			.status = SD_STATUS_OK};

		l.size[i] = point[i].bytes;
		l.ratio[i] = point[i].ratio;
		assert_int_equal(sd_bench_rows_add(&rows, &r), 0);
	}
	assert_int_equal(sd_latency_add_levels(&l, 0, "4KiB"), 0);
	for (size_t i = 0; i < rows.n; i++) {
		const struct sd_bench_row *r = &rows.row[i];

		if (!strstr(r->variant, "effective=LLC"))
			continue;
		refused++;
		assert_int_equal(r->status, SD_STATUS_NOISY);
		assert_non_null(strstr(r->why, "not more than the L2's 1.00 MiB"));
		assert_false(sd_bench_row_has(r));
		assert_int_equal(sd_bench_row_value(r).status, SD_STATUS_ABSENT);
	}
	assert_int_equal(refused, 1);
	sd_bench_rows_free(&rows);
}

/* As little as is more than the caches, of what was asked for. */
static void a_diagnosis_is_given_little_memory_where_the_caches_allow(void **state)
{
	const struct sd_value none = SD_NOT(ABSENT);
	const double row[] = {1, 16, 64, 100, 256, 700, 2000};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (unsigned domains = 1; domains <= 4; domains++) {
			const struct sd_value cache = SD_OK(row[i] * MIB);
			const size_t asked = (size_t)(4 * domains * cache.value);
			const size_t given = sd_llc_brief(asked, cache, domains);

			assert_true(given <= asked);
			assert_true((double)given >= domains * cache.value);
			assert_true(
				given <= SD_BRIEF_BYTES || (double)given <= domains * cache.value);
		}
	assert_int_equal(sd_llc_brief((size_t)1 << 30, none, 1), (size_t)1 << 30);
}

/* The curve of a diagnosis ends where that of a calibration does or before, behind the cache. */
static void a_diagnosis_has_no_larger_a_curve(void **state)
{
	const double row[] = {1, 16, 64, 100, 256, 700, 2000};
	struct sd_topology t = {.pu = pu, .n_pu = 1, .llc_bytes = SD_OK(480 * MIB)};

	(void)state;
	for (int known = 0; known < 2; known++)
		for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
			const struct sd_value cache = SD_OK(row[i] * MIB);
			struct sd_kernel_env env = {.topology = &t};
			double full, quick, brief;

			t.llc_bytes = known ? SD_OK(480 * MIB) : SD_NOT(ABSENT);
			full = sd_llc_curve(&env, cache);
			env.quick = 1;
			quick = sd_llc_curve(&env, cache);
			env.brief = 1;
			brief = sd_llc_curve(&env, cache);
			assert_true(brief <= quick && quick <= full);
			assert_true(brief >= cache.value);
			assert_true(brief <= (double)SD_BRIEF_BYTES || brief <= cache.value);
		}
}

/* By the first that needs it, for all. */
static void the_size_is_measured_once_where_it_is_shared(void **state)
{
	struct sd_value known = SD_OK(77 * MIB);
	const struct sd_kernel_env env = {.effective = &known};

	(void)state;
	assert_true(sd_llc_effective(&env).value == 77 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cache_no_larger_than_l2_is_no_size),
		cmocka_unit_test(a_refused_cache_is_a_row_without_a_number),
		cmocka_unit_test(a_diagnosis_is_given_little_memory_where_the_caches_allow),
		cmocka_unit_test(a_diagnosis_has_no_larger_a_curve),
		cmocka_unit_test(the_size_is_measured_once_where_it_is_shared),
	};

	return cmocka_run_group_tests_name("microbench_llc", tests, NULL, NULL);
}
