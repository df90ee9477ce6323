/*
 * The stack: parts of a run, exact sums, and the arithmetic of every kind of scaling.
 */
#include <string.h>

#include "diagnose/analyse/stack/uniform_runs.h"

/* Any record at all: whatever was or was not measured, every stack sums to its cores. */
/* Parts that are a thousand times what is left of them leave as many digits less. */
static double largest(const struct sd_point *p)
{
	double most = 0;

	for (int i = 0; i < SD_COMPONENT_COUNT; i++)
		if (p->stack[i].status == SD_STATUS_OK)
			most = fmax(most, fabs(p->stack[i].value));
	return most;
}

static void every_stack_of_any_record_sums_to_its_cores(void **state)
{
	struct sd_random random;

	(void)state;
	sd_random_seed(&random, 5, 0);
	for (int i = 0; i < 150; i++) {
		unsigned cores[4] = {1 + (unsigned)sd_random_below(&random, 3)};
		size_t n = 1 + sd_random_below(&random, 4), runs;
		struct sd_analysis a;
		struct sd_record r;

		for (size_t k = 1; k < n; k++)
			cores[k] = cores[k - 1] + 1 + (unsigned)sd_random_below(&random, 100);
		record_make(&r, cores, n);
		r.program.scaling =
			sd_random_below(&random, 2) ? SD_SCALING_WEAK : SD_SCALING_STRONG;
		if (sd_random_below(&random, 3) == 0)
			r.program.rate = strdup("x");
		runs = n * (1 + sd_random_below(&random, 8));
		for (size_t k = 0; k < runs; k++)
			random_run(record_run(&r, sd_random_below(&random, n),
					   1e-3 + uniform(&random, 10)),
				&random);
		if (sd_analyse(&r, NULL, NULL, &a) == 0)
			for (size_t k = 0; k < a.n_point; k++)
				assert_near(stack_sum(&a.point[k]), a.point[k].n,
					1e-9 + 1e-11 * largest(&a.point[k]));
		for (size_t k = 0; k < a.n_point; k++)
			for (int j = 0; j < SD_COMPONENT_COUNT; j++) {
				const struct sd_interval *v = &a.point[k].stack[j];

				assert_true(v->status == SD_STATUS_ABSENT ||
					    (v->low <= v->value && v->value <= v->high));
			}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void counters_split_the_growth_of_user_time(void **state)
{
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample two = {.wall = 10, .user = 20};
	static const unsigned cores[] = {1, 2};
	struct sd_analysis a;
	struct sd_record r;
	const struct sd_interval *s;

	(void)state;
	record_make(&r, cores, 2);
	for (int i = 0; i < 6; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);

		run->metric[SD_METRIC_INSTRUCTIONS] = SD_OK(10e9);
		run->metric[SD_METRIC_CYCLES] = SD_OK(20e9);
		run = record_sample(&r, 1, &two, 1);
		/* the same instructions, 1.6 times the cycles each, at 0.8 of the clock */
		run->metric[SD_METRIC_INSTRUCTIONS] = SD_OK(10e9);
		run->metric[SD_METRIC_CYCLES] = SD_OK(32e9);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	s = a.point[1].stack;
	assert_int_equal(s[SD_COMPONENT_GROWTH].status, SD_STATUS_ABSENT);
	assert_near(s[SD_COMPONENT_INSTRUCTIONS].value, 0, 1e-12);
	assert_near(s[SD_COMPONENT_CPI_OTHER].value, log(1.6) / log(2), 1e-9);
	assert_near(s[SD_COMPONENT_FREQUENCY].value, log(1.25) / log(2), 1e-9);
	assert_int_equal(finding_of(&a, SD_CAUSE_EXTRA_WORK)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->verdict, SD_VERDICT_POSSIBLE);
	assert_near(stack_sum(&a.point[1]), 2, 1e-9);
	sd_analysis_free(&a);
	/* A multiplexed count is not good enough for differences. */
	r.run[3].metric[SD_METRIC_CYCLES].status = SD_STATUS_MULTIPLEXED;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_near(a.point[1].stack[SD_COMPONENT_GROWTH].value, 1, 1e-9);
	assert_int_equal(a.point[1].stack[SD_COMPONENT_CPI_OTHER].status, SD_STATUS_ABSENT);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void lmdi_of_equal_sides_is_zero_and_of_any_sums_to_the_growth(void **state)
{
	struct sd_growth g = sd_account_growth(3, 1e9, 2e9, 3, 1e9, 2e9);
	struct sd_random r;

	(void)state;
	assert_near(g.instructions, 0, 0);
	assert_near(g.cpi, 0, 0);
	assert_near(g.frequency, 0, 0);
	sd_random_seed(&r, 3, 0);
	for (int i = 0; i < 2000; i++) {
		double from = 1e-6 + uniform(&r, 100), to = 1e-6 + uniform(&r, 100);

		if (i % 3 == 0)
			to = from * (1 + 1e-8 * (double)(i % 7 - 3));
		g = sd_account_growth(from, 1 + uniform(&r, 1e12), 1 + uniform(&r, 1e12), to,
			1 + uniform(&r, 1e12), 1 + uniform(&r, 1e12));
		assert_near(g.instructions + g.cpi + g.frequency, to - from, 1e-10);
	}
}

/* Not the bytes between its fields. */
static void assert_same_bits(struct sd_interval x, struct sd_interval y)
{
	const double of_x[] = {x.value, x.low, x.high}, of_y[] = {y.value, y.low, y.high};

	assert_memory_equal(of_x, of_y, sizeof of_x);
	assert_int_equal(x.status, y.status);
}

static void the_same_record_gives_the_same_bits(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}};
	static const unsigned cores[] = {1, 4};
	struct sd_analysis a, b;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	record_samples(&r, 0, &one, 9, .02, 1);
	record_samples(&r, 1, &many, 9, .02, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &b), 0);
	assert_int_equal(a.bootstraps, 2000);
	for (size_t i = 0; i < 2; i++)
		for (int k = 0; k < SD_COMPONENT_COUNT; k++)
			assert_same_bits(a.point[i].stack[k], b.point[i].stack[k]);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		assert_int_equal(a.finding[i].cause, b.finding[i].cause);
		assert_int_equal(a.finding[i].evidence.n, b.finding[i].evidence.n);
		for (size_t k = 0; k < a.finding[i].evidence.n; k++)
			assert_string_equal(
				a.finding[i].evidence.text[k], b.finding[i].evidence.text[k]);
	}
	sd_analysis_free(&b);
	r.plan.seed = 2;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &b), 0);
	assert_memory_not_equal(a.point[1].stack, b.point[1].stack, sizeof a.point[1].stack);
	sd_analysis_free(&a);
	sd_analysis_free(&b);
	sd_record_free(&r);
}

/* 95 % intervals hold the truth about that often: of 300 records, and 20 runs a point. */
static void intervals_hold_the_truth_about_as_often_as_they_say(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 4, .user = 8, .idle = {[SD_IDLE_SERIAL] = 8}};
	static const unsigned cores[] = {1, 4};
	int held = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct sd_analysis a;
		struct sd_record r;

		record_make(&r, cores, 2);
		r.plan.seed = seed;
		record_samples(&r, 0, &one, 20, .03, seed);
		record_samples(&r, 1, &many, 20, .03, seed + 1000);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		held += a.point[1].efficiency.low <= .5 && .5 <= a.point[1].efficiency.high;
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	/* 285 expected, standard deviation 3.8; percentile intervals of medians are a little wide
	 * or narrow. */
	assert_in_range(held, 270, 299);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stack_of_any_record_sums_to_its_cores),
		cmocka_unit_test(counters_split_the_growth_of_user_time),
		cmocka_unit_test(lmdi_of_equal_sides_is_zero_and_of_any_sums_to_the_growth),
		cmocka_unit_test(the_same_record_gives_the_same_bits),
		cmocka_unit_test(intervals_hold_the_truth_about_as_often_as_they_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
