/*
 * Times that shared cores make longer, by a known law: what the efficiency on whole cores is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runs/adjusted_efficiency.h"
#include "support/analyse_record.h"
#include "support/near.h"

#define WHOLE 3.5
#define MOST 40

struct world {
	struct sd_run run[2][MOST];
	const struct sd_run *pick[2][MOST];
	struct sd_chosen point[2];
	struct sd_record record;
};

static double uniform(struct sd_random *random)
{
	return (double)(sd_random_next(random) >> 11) * 0x1p-53;
}

/*
 * `n` runs at 1 and at 2 cores of a program of this efficiency on whole cores, whose time goes with
 * the width of the narrowest core to the power `slope`. Cores have at least `low[point]` of a whole
 * one.
 */
static void make(struct world *w, double efficiency, double slope, const double low[2], size_t n,
	uint64_t seed)
{
	struct sd_random random;

	*w = (struct world){0};
	sd_random_seed(&random, seed, 1);
	for (int p = 0; p < 2; p++) {
		for (size_t i = 0; i < n; i++) {
			const double a = low[p] + (1 - low[p]) * uniform(&random),
				     b = p ? low[p] + (1 - low[p]) * uniform(&random) : a,
				     noise = 1 + .02 * (uniform(&random) - .5);
			struct sd_value *const m = w->run[p][i].metric;

			m[SD_METRIC_WIDTH] = SD_OK(WHOLE * (a + b) / 2);
			m[SD_METRIC_WIDTH_LEAST] = SD_OK(WHOLE * fmin(a, b));
			m[SD_METRIC_WIDTH_MOST] = SD_OK(WHOLE);
			m[SD_METRIC_WALL] =
				SD_OK((p ? 5 / efficiency : 10) * pow(fmin(a, b), slope) * noise);
			w->pick[p][i] = &w->run[p][i];
		}
		w->point[p] = (struct sd_chosen){.cores = p ? 2 : 1,
			.n = p ? 2 : 1,
			.work = 1,
			.run = w->pick[p],
			.n_run = n};
	}
}

static void the_efficiency_on_whole_cores_is_found_behind_shared_ones(void **state)
{
	static const double low[2] = {.6, .5};
	static const double efficiency[] = {1, .7}, slope[] = {0, -.4, -.8, -1};
	static struct world w;
	unsigned covered = 0, all = 0;

	(void)state;
	for (size_t e = 0; e < 2; e++)
		for (size_t s = 0; s < 4; s++)
			for (uint64_t seed = 0; seed < 25; seed++) {
				struct sd_interval v;

				make(&w, efficiency[e], slope[s], low, 25, seed);
				v = sd_adjusted_efficiency(&w.record, &w.point[0], &w.point[1]);
				assert_int_equal(v.status, SD_STATUS_OK);
				assert_near(v.value, efficiency[e], .03);
				assert_true(v.high - v.low < .08);
				covered += v.low <= efficiency[e] && efficiency[e] <= v.high;
				all++;
			}
	/* 95 % of the intervals hold it; 190 of 200 on average */
	assert_true(covered >= all * 9 / 10);
}

/* Runs that were left out for their widths say how the time goes with them. */
static void runs_left_out_for_their_widths_count(void **state)
{
	static const double low[2] = {.5, .5};
	static struct world w;
	struct sd_interval all, half;

	(void)state;
	make(&w, 1, -.8, low, 30, 3);
	all = sd_adjusted_efficiency(&w.record, &w.point[0], &w.point[1]);
	for (int p = 0; p < 2; p++) {
		w.point[p].n_run = 15;
		w.point[p].n_disturbed = 15;
		w.point[p].disturbed = w.pick[p] + 15;
	}
	half = sd_adjusted_efficiency(&w.record, &w.point[0], &w.point[1]);
	assert_near(all.value, half.value, 1e-12);
	/* but not those that lost CPU time */
	for (int p = 0; p < 2; p++)
		for (size_t i = 15; i < 30; i++) {
			w.run[p][i].metric[SD_METRIC_STEAL] = SD_OK(5);
			w.run[p][i].metric[SD_METRIC_WALL].value *= 3;
		}
	half = sd_adjusted_efficiency(&w.record, &w.point[0], &w.point[1]);
	assert_near(half.value, 1, .05);
}

/* One slope for all: where the widths hardly vary it is not known, and matters little. */
static void whole_cores_need_no_adjusting(void **state)
{
	static const double low[2] = {.998, .998};
	static struct world w;
	struct sd_interval v;

	(void)state;
	make(&w, .8, -.8, low, 20, 5);
	v = sd_adjusted_efficiency(&w.record, &w.point[0], &w.point[1]);
	assert_near(v.value, .8, .01);
	assert_true(v.high - v.low < .02);
}

/* All runs of two cores on equally shared ones: by how much that slows the program is not seen. */
static void what_was_never_seen_otherwise_stays_uncertain(void **state)
{
	static const double low[2] = {.998, .998};
	static struct world w;
	struct sd_interval v;

	(void)state;
	make(&w, 1, 0, low, 20, 7);
	for (size_t i = 0; i < 20; i++) {
		w.run[1][i].metric[SD_METRIC_WIDTH].value *= .6;
		w.run[1][i].metric[SD_METRIC_WIDTH_LEAST].value *= .6;
		w.run[1][i].metric[SD_METRIC_WALL].value *= 1.3;
	}
	v = sd_adjusted_efficiency(&w.record, &w.point[0], &w.point[1]);
	assert_true(v.low < .8 && v.high > 1.2);
}

static void too_few_runs_or_no_widths_give_nothing(void **state)
{
	static const double low[2] = {.5, .5};
	static struct world w;

	(void)state;
	make(&w, 1, -.8, low, SD_ADJUSTED_EFFICIENCY_LEAST - 1, 3);
	assert_int_equal(sd_adjusted_efficiency(&w.record, &w.point[0], &w.point[1]).status,
		SD_STATUS_ABSENT);
	make(&w, 1, -.8, low, 20, 3);
	assert_int_equal(sd_adjusted_efficiency(&w.record, &w.point[0], &w.point[0]).status,
		SD_STATUS_ABSENT);
	for (size_t i = 0; i < 20; i++)
		w.run[1][i].metric[SD_METRIC_WIDTH] = SD_NOT(ABSENT);
	assert_int_equal(sd_adjusted_efficiency(&w.record, &w.point[0], &w.point[1]).status,
		SD_STATUS_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_efficiency_on_whole_cores_is_found_behind_shared_ones),
		cmocka_unit_test(runs_left_out_for_their_widths_count),
		cmocka_unit_test(whole_cores_need_no_adjusting),
		cmocka_unit_test(what_was_never_seen_otherwise_stays_uncertain),
		cmocka_unit_test(too_few_runs_or_no_widths_give_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
