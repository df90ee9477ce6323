/* Resamples of many runs draw batches of them: they vary as those of the runs themselves do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/statistics.h"
#include "runs/bootstrap.h"

enum { DRAWS = 2000 };

static double evenly(struct sd_random *r)
{
	return ((double)(sd_random_next(r) >> 11) + .5) * 0x1p-53;
}

static double normal(struct sd_random *r)
{
	return sqrt(-2 * log(evenly(r))) * cos(2 * acos(-1) * evenly(r));
}

static int by_time(const void *a, const void *b)
{
	const struct sd_run_parts *const x = a, *const y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Runs of 1 s on average, half of it useful, the less the longer they take; system time varies by
 * itself. */
static void make_runs(struct sd_chosen *p, size_t n, struct sd_random *r)
{
	*p = (struct sd_chosen){.n_run = n, .n_typical = n, .known = SD_RUN_PARTS_CPU};
	p->parts = calloc(n, sizeof *p->parts);
	assert_non_null(p->parts);
	for (size_t j = 0; j < n; j++) {
		const double noise = .05 * normal(r);

		p->parts[j].time = 1 + noise;
		p->parts[j].part[SD_PART_USER] = .5 - .4 * noise;
		p->parts[j].part[SD_PART_SYSTEM] = .2 + .02 * normal(r);
	}
	qsort(p->parts, n, sizeof *p->parts, by_time);
	assert_int_equal(sd_run_figures_list(p->parts, n, &p->figures), 0);
	assert_int_equal(sd_run_figures_batch(&p->figures, 0, n, 7, &p->batches), 0);
}

static void free_runs(struct sd_chosen *p)
{
	free(p->parts);
	sd_run_figures_free(&p->figures);
	sd_run_batches_free(&p->batches);
}

static void every_run_is_in_one_batch(void **state)
{
	static const struct {
		size_t n, batches, size;
	} row[] = {{1000, 0, 1}, {1001, 500, 2}, {3000, 1000, 3}, {60000, 1000, 60}};
	struct sd_random r;

	(void)state;
	sd_random_seed(&r, 1, 0);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t counted = 0, faster = 0;
		struct sd_chosen p;

		make_runs(&p, row[i].n, &r);
		assert_int_equal(p.batches.sums.n_run, row[i].batches);
		assert_int_equal(p.batches.size, row[i].size);
		assert_int_equal(
			sd_bootstrap_units(&p), row[i].batches ? row[i].batches : row[i].n);
		for (size_t b = 0; b < row[i].batches; b++) {
			assert_int_equal(p.batches.batch[b].counted, row[i].size);
			counted += p.batches.batch[b].counted;
			faster += p.batches.batch[b].faster;
		}
		assert_int_equal(counted, row[i].batches * row[i].size);
		if (counted == row[i].n)
			assert_int_equal(faster, row[i].n / 2);
		free_runs(&p);
	}
}

/* Deviations of the median, of both parts, and how the median and useful time go together. */
struct spread {
	double time, user, system, together;
};

static struct spread resample(const struct sd_chosen *p, struct sd_random *r)
{
	unsigned *const times = calloc(p->n_run, sizeof *times);
	double sum[3] = {0}, square[3] = {0}, product = 0, sd[3];

	assert_non_null(times);
	for (int b = 0; b < DRAWS; b++) {
		struct sd_run_parts out = {0};

		sd_bootstrap_mean(p, r, times, &out);
		{
			const double v[3] = {out.time - 1, out.part[SD_PART_USER] - .5,
				out.part[SD_PART_SYSTEM] - .2};

			for (int k = 0; k < 3; k++) {
				sum[k] += v[k] / DRAWS;
				square[k] += v[k] * v[k] / DRAWS;
			}
			product += v[0] * v[1] / DRAWS;
		}
	}
	free(times);
	for (int k = 0; k < 3; k++)
		sd[k] = sqrt(square[k] - sum[k] * sum[k]);
	return (struct spread){sd[0], sd[1], sd[2], (product - sum[0] * sum[1]) / (sd[0] * sd[1])};
}

static void assert_within(double a, double b, double share)
{
	if (fabs(a / b - 1) > share)
		fail_msg("%g and %g", a, b);
}

static void batches_vary_as_runs_do(void **state)
{
	static const size_t runs[] = {1200, 2500, 9000};
	struct sd_random r;

	(void)state;
	sd_random_seed(&r, 2, 0);
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct spread batched, single;
		struct sd_chosen p;

		make_runs(&p, runs[i], &r);
		assert_non_null(p.batches.batch);
		batched = resample(&p, &r);
		sd_run_batches_free(&p.batches);
		single = resample(&p, &r);
		assert_within(batched.time, single.time, .15);
		assert_within(batched.user, single.user, .1);
		assert_within(batched.system, single.system, .1);
		assert_true(fabs(batched.together - single.together) < .1);
		assert_within(single.user, .02 / sqrt((double)runs[i]), .1);
		free_runs(&p);
	}
}

/* 95 % are claimed. */
static void intervals_of_batches_hold_the_truth(void **state)
{
	enum { TRIES = 1500, SOME = 400, RUNS = 1100, LEAST = 93 };
	unsigned times[RUNS], time = 0, user = 0;
	struct sd_random r;

	(void)state;
	sd_random_seed(&r, 3, 0);
	for (int k = 0; k < TRIES; k++) {
		double t[SOME], u[SOME], mean = 0;
		struct sd_interval all;
		struct sd_chosen p;

		make_runs(&p, RUNS, &r);
		for (int b = 0; b < SOME; b++) {
			struct sd_run_parts out = {0};

			sd_bootstrap_mean(&p, &r, times, &out);
			t[b] = out.time;
			u[b] = out.part[SD_PART_USER];
		}
		all = sd_statistics_interval(p.parts[RUNS / 2].time, t, SOME, RUNS);
		time += all.low <= 1 && 1 <= all.high;
		for (size_t j = 0; j < RUNS; j++)
			mean += p.parts[j].part[SD_PART_USER] / RUNS;
		all = sd_statistics_interval(mean, u, SOME, RUNS);
		user += all.low <= .5 && .5 <= all.high;
		free_runs(&p);
	}
	if (time * 100 < TRIES * LEAST || user * 100 < TRIES * LEAST)
		fail_msg("%u and %u of %d", time, user, TRIES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_run_is_in_one_batch),
		cmocka_unit_test(batches_vary_as_runs_do),
		cmocka_unit_test(intervals_of_batches_hold_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
