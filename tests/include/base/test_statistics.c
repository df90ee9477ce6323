#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include "support/near.h"

#include "base/statistics.h"

static void median_of_a_few_values_is_the_middle(void **state)
{
	static const struct {
		double v[6];
		size_t n;
		double median;
	} row[] = {
		{{7}, 1, 7},
		{{3, 1}, 2, 2},
		{{3, 1, 2}, 3, 2},
		{{4, 4, 4, 4}, 4, 4},
		{{1, 9, 2, 8}, 4, 5},
		{{6, 5, 4, 3, 2, 1}, 6, 3.5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double v[6];

		for (size_t k = 0; k < row[i].n; k++)
			v[k] = row[i].v[k];
		assert_near(sd_statistics_median(v, row[i].n), row[i].median, 0);
	}
	assert_true(isnan(sd_statistics_median(NULL, 0)));
}

/* Times with some that took very long, as where memory of the host had to be found first. */
static void values_are_larger_by_their_ranks(void **state)
{
	static const double low[] = {1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09, 1.1,
		1.11, 1.12, 1.13, 2.6, 3.1},
			    high[] = {1.31, 1.33, 1.34, 1.36, 1.37, 1.38, 1.39, 1.4, 1.41, 1.42,
				    1.43, 1.44, 1.45, 1.46, 1.5, 2};
	double v[16], w[16];

	(void)state;
	for (int i = 0; i < 16; i++) {
		v[i] = low[i];
		w[i] = high[i];
	}
	const struct sd_group a = {sd_statistics_median(v, 16), sd_statistics_cv(low, 16), 16},
			      b = {sd_statistics_median(w, 16), sd_statistics_cv(high, 16), 16};

	assert_false(sd_statistics_differ(&a, &b));
	assert_true(sd_statistics_larger(low, 16, high, 16));
	assert_false(sd_statistics_larger(high, 16, low, 16));
	assert_false(sd_statistics_larger(low, 16, low, 16));
	/* all of them, of few: 1 order of 1716, of 924, of 792 */
	assert_true(sd_statistics_larger(low, 7, high, 6));
	assert_false(sd_statistics_larger(low, 6, high, 6));
	assert_false(sd_statistics_larger(low, 5, high, 7));
	/* of eight a side one is not */
	w[0] = low[0];
	for (int i = 1; i < 8; i++)
		w[i] = high[i];
	assert_false(sd_statistics_larger(low, 8, w, 8));
	assert_false(sd_statistics_larger(low, 0, high, 16));
}

static void values_of_one_kind_are_seldom_larger(void **state)
{
	enum { ROUNDS = 20000 };
	struct sd_random random;
	unsigned larger = 0;

	(void)state;
	sd_random_seed(&random, 11, 0);
	for (int round = 0; round < ROUNDS; round++) {
		double a[15], b[15];

		for (int i = 0; i < 15; i++) {
			/* one in eight takes three times as long */
			a[i] = (double)sd_random_below(&random, 1000) +
			       (sd_random_below(&random, 8) ? 0 : 3000);
			b[i] = (double)sd_random_below(&random, 1000) +
			       (sd_random_below(&random, 8) ? 0 : 3000);
		}
		larger += (unsigned)sd_statistics_larger(a, 15, b, 15);
	}
	/* 20 expected at .1 %, four standard errors more */
	assert_true(larger < 38);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void selection_agrees_with_sorting(void **state)
{
	struct sd_random random;

	(void)state;
	sd_random_seed(&random, 7, 0);
	for (int round = 0; round < 400; round++) {
		size_t n = 1 + sd_random_below(&random, 60), k = sd_random_below(&random, n);
		double v[60], sorted[60];

		for (size_t i = 0; i < n; i++)
			v[i] = sorted[i] = (double)sd_random_below(&random, 1 + round % 50);
		qsort(sorted, n, sizeof *sorted, by_value);
		assert_near(sd_statistics_select(v, n, k), sorted[k], 0);
	}
}

static void the_generator_gives_the_same_numbers_for_a_seed_and_others_for_a_stream(void **state)
{
	struct sd_random a, b, c;

	(void)state;
	sd_random_seed(&a, 42, 0);
	sd_random_seed(&b, 42, 0);
	sd_random_seed(&c, 42, 1);
	for (int i = 0; i < 10; i++) {
		uint64_t x = sd_random_next(&a);

		assert_true(x == sd_random_next(&b));
		assert_true(x != sd_random_next(&c));
	}
}

static void drawing_below_n_is_uniform(void **state)
{
	struct sd_random random;
	size_t seen[10] = {0};

	(void)state;
	sd_random_seed(&random, 3, 0);
	for (int i = 0; i < 100000; i++)
		seen[sd_random_below(&random, 10)]++;
	/* 10000 +- 5 standard deviations of 95 */
	for (int i = 0; i < 10; i++)
		assert_in_range(seen[i], 9525, 10475);
}

/* Whatever is drawn: as many as there are, and the middle of the drawn values written out. */
static void a_resample_counts_its_draws_and_has_their_median(void **state)
{
	struct sd_random random;
	unsigned times[9];
	size_t middle[2];

	(void)state;
	sd_random_seed(&random, 5, 0);
	for (size_t n = 1; n <= 9; n++) {
		for (int round = 0; round < 200; round++) {
			size_t drawn[9], k = 0;

			sd_statistics_draw(&random, n, times, middle);
			for (size_t j = 0; j < n; j++)
				for (unsigned t = 0; t < times[j]; t++) {
					assert_true(k < n);
					drawn[k++] = j;
				}
			assert_int_equal(k, n);
			assert_int_equal(middle[0], drawn[(n - 1) / 2]);
			assert_int_equal(middle[1], drawn[n / 2]);
		}
	}
}

static void an_interval_cuts_two_and_a_half_percent_on_either_side(void **state)
{
	double v[2000];
	struct sd_interval i;

	(void)state;
	for (int k = 0; k < 2000; k++)
		v[k] = (k * 7919) % 2000;
	i = sd_statistics_interval(1000, v, 2000, 5);
	assert_near(i.low, 50, 0);
	assert_near(i.high, 1949, 0);
	i = sd_statistics_interval(1000, v, 2000, 4);
	assert_near(i.low, 0, 0);
	assert_near(i.high, 1999, 0);
	i = sd_statistics_interval(-3, v, 2000, 2);
	assert_near(i.low, -3, 0);
	assert_int_equal(sd_statistics_interval(0, v, 0, 0).status, SD_STATUS_ABSENT);
	/* of one run: however many resamples there are, no interval */
	i = sd_statistics_interval(1000, v, 2000, 1);
	assert_near(i.value, 1000, 0);
	assert_true(isinf(i.low) && isinf(i.high) && i.low < i.high);
}

/* Tables of the sign test: n = 5 has no 95 % interval, n = 9 drops one on either side, n =
 * 20 five. */
static void the_interval_of_a_median_follows_the_binomial(void **state)
{
	static const struct {
		size_t n;
		double low, high;
	} row[] = {{1, -INFINITY, INFINITY}, {5, 0, 4}, {6, 0, 5}, {9, 1, 7}, {20, 5, 14},
		{50, 17, 32}};

	(void)state;
	for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
		double v[50];
		struct sd_interval i;

		for (size_t k = 0; k < row[r].n; k++)
			v[k] = (double)(row[r].n - 1 - k);
		i = sd_statistics_order(v, row[r].n);
		assert_true(i.low >= row[r].low && i.low <= row[r].low);
		assert_true(i.high >= row[r].high && i.high <= row[r].high);
		assert_near(i.value, (double)(row[r].n - 1) / 2, 0);
	}
}

/* Two runs that differ by a core of two leave the part anywhere, but not above what there is. */
static void a_part_is_no_more_than_the_whole(void **state)
{
	const struct sd_interval v = {.8, .3, 1.3, SD_STATUS_OK};
	struct sd_interval w = sd_statistics_widen(v, 2);

	(void)state;
	assert_true(w.high > 2);
	w = sd_statistics_widen_part(v, 2, 2);
	assert_near(w.high, 2, 0);
	assert_near(w.low, sd_statistics_widen(v, 2).low, 0);
	/* a value above it was measured, whatever that means */
	assert_near(sd_statistics_widen_part((struct sd_interval){2.1, 2, 2.2, SD_STATUS_OK}, 2, 2)
			    .high,
		2.1, 0);
	assert_true(
		isinf(sd_statistics_widen_part(sd_status_unbounded(1, SD_STATUS_OK), 1, 2).high));
}

static void variation_of_one_value_is_zero(void **state)
{
	static const double v[] = {1, 3};

	(void)state;
	assert_near(sd_statistics_cv(v, 1), 0, 0);
	assert_near(sd_statistics_cv(v, 2), 0.70710678, 1e-8);
	assert_near(sd_statistics_smallest(.01, 8, .01, 8), 2.8 * .01 * .5, 1e-12);
	/* 8 of 10: Brown, Cai and DasGupta (2001), Wilson's interval */
	assert_near(sd_statistics_share(8, 10).low, .4902, 5e-5);
	assert_near(sd_statistics_share(8, 10).high, .9433, 5e-5);
	assert_near(sd_statistics_share(0, 100).low, 0, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_larger_by_their_ranks),
		cmocka_unit_test(values_of_one_kind_are_seldom_larger),
		cmocka_unit_test(median_of_a_few_values_is_the_middle),
		cmocka_unit_test(selection_agrees_with_sorting),
		cmocka_unit_test(
			the_generator_gives_the_same_numbers_for_a_seed_and_others_for_a_stream),
		cmocka_unit_test(drawing_below_n_is_uniform),
		cmocka_unit_test(a_resample_counts_its_draws_and_has_their_median),
		cmocka_unit_test(an_interval_cuts_two_and_a_half_percent_on_either_side),
		cmocka_unit_test(the_interval_of_a_median_follows_the_binomial),
		cmocka_unit_test(a_part_is_no_more_than_the_whole),
		cmocka_unit_test(variation_of_one_value_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
