/*
 * Made-up records of one and two cores with pairs of an experiment, and what is judged of them.
 */
#ifndef SD_TEST_EXPERIMENT_PAIRS_H
#define SD_TEST_EXPERIMENT_PAIRS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "metrics/formula_tables.h"
#include "support/make_record.h"
#include "experiments/experiment_results.h"
#include "support/make_samples.h"

static const unsigned counts[] = {1, 2};

/* Efficiency .625 at two cores, all of it growth of user time. */
static const struct sample one = {.wall = 4, .user = 4}, slow = {.wall = 4 * .8, .user = 8 * .8};

static const struct sample good = {.wall = 2, .user = 4};

#define EFFICIENCY .625

static inline void with_experiments(struct sd_record *r, const struct sample *at_two)
{
	record_make(r, counts, 2);
	record_samples(r, 0, &one, 10, .002, 1);
	record_samples(r, 1, at_two, 10, .002, 2);
	r->plan.experiment = calloc(SD_EXPERIMENT_COUNT, sizeof *r->plan.experiment);
	r->plan.n_experiment = SD_EXPERIMENT_COUNT;
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		r->plan.experiment[i] =
			(struct sd_plan_experiment){.experiment = (enum sd_experiment)i,
				.point = sd_experiment_info[i].at != SD_EXPERIMENT_AT_REFERENCE};
}

static inline struct sd_run *add(struct sd_record *r, enum sd_experiment e, size_t point,
	enum sd_arm arm, unsigned pair, const struct sample *s)
{
	struct sd_run *run = record_sample(r, point, s, 1 + .002 * ((pair * 7 + arm * 3) % 5 - 2.));

	run->kind = SD_RUN_EXPERIMENT;
	run->tried = calloc(1, sizeof *run->tried);
	*run->tried = (struct sd_experiment_run){.experiment = (size_t)e, .arm = arm, .pair = pair};
	return run;
}

/* Pairs at a point, in which the changed run takes `ratio` times the plain one's time. */
static inline void pairs(
	struct sd_record *r, enum sd_experiment e, size_t point, unsigned n, double ratio)
{
	const struct sample *plain = point ? &slow : &one;
	struct sample changed = *plain;

	changed.wall *= ratio;
	changed.user *= ratio;
	for (unsigned i = 0; i < n; i++) {
		add(r, e, point, SD_ARM_PLAIN, i, plain);
		add(r, e, point, SD_ARM_CHANGED, i, &changed);
	}
}

/* Two copies at once, each of which takes `ratio` times the time of one alone. */
static inline void copies(struct sd_record *r, unsigned n, double ratio)
{
	for (unsigned i = 0; i < n; i++) {
		struct sd_run *run;

		add(r, SD_EXPERIMENT_REPLICAS, 0, SD_ARM_PLAIN, i, &one);
		run = add(r, SD_EXPERIMENT_REPLICAS, 0, SD_ARM_CHANGED, i, &one);
		run->tried->copy = calloc(2, sizeof *run->tried->copy);
		run->tried->n_copy = 2;
		for (int k = 0; k < 2; k++)
			run->tried->copy[k] = (struct sd_copy){.cpu = (unsigned)k,
				.wall = SD_OK(4 * ratio * (1 + .002 * (i % 3)))};
	}
}

static inline void thief(
	struct sd_record *r, enum sd_experiment e, unsigned n, double ratio, double rate)
{
	pairs(r, e, 0, n, ratio);
	for (size_t i = 0; i < r->n_run; i++) {
		struct sd_experiment_run *t = r->run[i].tried;

		if (!t || t->experiment != (size_t)e || t->arm != SD_ARM_CHANGED)
			continue;
		t->side[SD_SIDE_THIEF_ALONE] = SD_OK(10e9);
		t->side[SD_SIDE_THIEF_RATE] = SD_OK(rate);
		t->side[SD_SIDE_THIEF_BYTES] = SD_OK(64e6);
	}
}

static inline void clock_is(struct sd_record *r, double clock)
{
	for (unsigned i = 0; i < 3; i++) {
		struct sd_run *run = add(r, SD_EXPERIMENT_ADD_LOOP, 1, SD_ARM_CHANGED, i, &one);

		run->metric[SD_METRIC_WALL] = SD_NOT(ABSENT);
		run->tried->side[SD_SIDE_CLOCK] = SD_OK(clock);
		run->tried->side[SD_SIDE_CLOCK_LOW] = SD_OK(clock - .002);
		run->tried->side[SD_SIDE_CLOCK_HIGH] = SD_OK(clock + .002);
	}
}

static inline int says(const struct sd_texts *t, const char *words)
{
	for (size_t i = 0; i < t->n; i++)
		if (strstr(t->text[i], words))
			return 1;
	return 0;
}

static inline void verdict_is(struct sd_record *r, struct sd_analysis *a)
{
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
	assert_true(fabs(stack_sum(&a->point[1]) - 2) < 1e-9);
}

#define EXPECT(a, cause, wanted) \
	assert_string_equal(sd_verdict_name[finding_of(a, SD_CAUSE_##cause)->verdict], wanted)

static inline void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

#endif
