/*
 * Synthetic records for the tests of the analysis: points, and runs whose core-seconds are known.
 */
#ifndef SD_TESTS_ANALYSE_RECORD_H
#define SD_TESTS_ANALYSE_RECORD_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/analyse.h"
#include "base/statistics.h"

/* One kind of run: seconds of wall, core-seconds of the rest. */
struct sample {
	double wall, user, system;
	double idle[SD_IDLE_COUNT];
	double steal, throttled, run_delay;
};

static inline void record_make(struct sd_record *r, const unsigned *cores, size_t n)
{
	*r = (struct sd_record){.complete = 1};
	r->plan.seed = 1;
	r->plan.point = calloc(n, sizeof *r->plan.point);
	r->plan.n_point = n;
	for (size_t i = 0; i < n; i++)
		r->plan.point[i].cores = cores[i];
}

static inline struct sd_run *record_run(struct sd_record *r, size_t point, double wall)
{
	struct sd_run *run;

	r->run = realloc(r->run, (r->n_run + 1) * sizeof *r->run);
	run = &r->run[r->n_run++];
	*run = (struct sd_run){.point = point, .kind = SD_RUN_BLOCK};
	run->metric[SD_METRIC_WALL] = SD_OK(wall);
	return run;
}

/* A run of kind *s with everything measured; all times are multiplied by `factor`. */
static inline struct sd_run *record_sample(
	struct sd_record *r, size_t point, const struct sample *s, double factor)
{
	struct sd_run *run = record_run(r, point, s->wall * factor);

	run->metric[SD_METRIC_USER] = SD_OK(s->user * factor);
	run->metric[SD_METRIC_SYSTEM] = SD_OK(s->system * factor);
	run->metric[SD_METRIC_STEAL] = SD_OK(s->steal * factor);
	run->metric[SD_METRIC_FOREIGN] = SD_OK(0);
	run->metric[SD_METRIC_THROTTLED] = SD_OK(s->throttled * factor);
	run->metric[SD_METRIC_RUN_DELAY] = SD_OK(s->run_delay * factor);
	run->metric[SD_METRIC_POLL_PERIOD] = SD_OK(.005);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		if (i != SD_IDLE_MPI) /* no poller sees it */
			run->idle[i] = SD_OK(s->idle[i] * factor);
	return run;
}

/* `runs` runs a point with a relative noise of about `cv`, from `seed`. */
static inline void record_samples(struct sd_record *r, size_t point, const struct sample *s,
	size_t runs, double cv, uint64_t seed)
{
	struct sd_random random;

	sd_random_seed(&random, seed, point + 100);
	for (size_t i = 0; i < runs; i++) {
		double sum = 0;

		/* The sum of 12 uniform numbers less 6 is close to a standard normal one. */
		for (int k = 0; k < 12; k++)
			sum += (double)(sd_random_next(&random) >> 11) * 0x1p-53;
		record_sample(r, point, s, 1 + cv * fmax(-2.5, fmin(2.5, sum - 6)));
	}
}

static inline const struct sd_finding *finding_of(const struct sd_analysis *a, enum sd_cause cause)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause == cause)
			return &a->finding[i];
	return NULL;
}

static inline double stack_sum(const struct sd_point *p)
{
	double sum = 0;

	for (int i = 0; i < SD_COMPONENT_COUNT; i++)
		if (p->stack[i].status == SD_STATUS_OK)
			sum += p->stack[i].value;
	return sum;
}

#endif
