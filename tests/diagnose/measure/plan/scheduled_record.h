/*
 * A record with runs of a plan, as a schedule sees it.
 */
#ifndef SD_TEST_SCHEDULED_RECORD_H
#define SD_TEST_SCHEDULED_RECORD_H

#include "support/make_record.h"
#include "plan/point_runs.h"
#include "plan/schedule.h"
#include "support/measure_fakes.h"

static const unsigned one_two_four[] = {1, 2, 4};

/* n block runs of a point, around `wall`, spread by +-spread. */
static inline void runs(struct sd_record *r, size_t point, unsigned n, double wall, double spread)
{
	for (unsigned i = 0; i < n; i++)
		make_run(r, point, wall * (1 + spread * ((double)((i * 7) % 11) - 5) / 5), 1, 0);
}

static inline size_t need_first(
	const struct sd_record *r, const struct sd_pass_list *first, unsigned *mask, double *worst)
{
	unsigned char list[8];
	const size_t n = sd_schedule_need(r, first, list, worst);

	*mask = 0;
	for (size_t p = 0; p < r->plan.n_point; p++)
		*mask |= (unsigned)list[p] << p;
	return n;
}

static inline size_t need(const struct sd_record *r, unsigned *mask, double *worst)
{
	return need_first(r, &(struct sd_pass_list){.n = 0}, mask, worst);
}

static inline double halfwidth(const struct sd_record *r, size_t point)
{
	struct sd_point_runs x;
	double half, middle;
	size_t few;

	assert_int_equal(sd_point_runs_find(r, &x), 0);
	half = sd_point_runs_interval(&x, point, &middle, &few);
	sd_point_runs_free(&x);
	return half;
}

#endif
