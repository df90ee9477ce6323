/*
 * Timelines in milliseconds, and who is charged with their waits.
 */
#ifndef SD_TEST_BLAME_TIMELINE_H
#define SD_TEST_BLAME_TIMELINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "attribute/blame.h"

#define MS UINT64_C(1000000)
#define PID 100

static inline unsigned thread(struct sd_timeline *t, unsigned n)
{
	unsigned number;

	assert_int_equal(sd_timeline_thread(t, PID, PID + (int)n, &number), 0);
	return number;
}

static inline struct sd_moment *add(
	struct sd_timeline *t, double ms, enum sd_moment_kind kind, unsigned n)
{
	const struct sd_moment m = {
		.time = (uint64_t)(ms * (double)MS), .kind = kind, .thread = thread(t, n)};

	assert_int_equal(sd_timeline_add(t, &m), 0);
	return &t->moment[t->n - 1];
}

static inline void in(struct sd_timeline *t, double ms, unsigned n)
{
	add(t, ms, SD_MOMENT_IN, n);
}

static inline void waits(struct sd_timeline *t, double ms, unsigned n, enum sd_activity a,
	uint64_t address, unsigned node)
{
	struct sd_moment *const m = add(t, ms, SD_MOMENT_OUT, n);
	unsigned place;
	int fresh;

	m->activity = a;
	m->node = node;
	if (!address)
		return;
	assert_int_equal(sd_timeline_place(t, PID, address, node, a, &place, &fresh), 0);
	m->lock = place + 1;
}

static inline void wakes(struct sd_timeline *t, double ms, unsigned n, unsigned other)
{
	const unsigned number = thread(t, other);

	add(t, ms, SD_MOMENT_WAKE, n)->other = number;
}

/* A sample that stands for `weight` ms. */
static inline void runs(struct sd_timeline *t, double ms, unsigned n, unsigned node,
	enum sd_activity a, double weight)
{
	struct sd_moment *const m = add(t, ms, SD_MOMENT_SAMPLE, n);

	m->node = node;
	m->activity = a;
	m->weight = (uint64_t)(weight * (double)MS);
}

static inline struct sd_timeline begin(void)
{
	struct sd_timeline t = {.first = PID};

	thread(&t, 0);
	return t;
}

struct result {
	struct sd_blame c;
	struct sd_sampled s;
	double idle[SD_IDLE_COUNT];
};

static inline void account_named(
	struct result *r, struct sd_timeline *t, double end, double cores, struct sd_stacks *stacks)
{
	t->end = (uint64_t)(end * (double)MS);
	r->s = (struct sd_sampled){0};
	assert_int_equal(sd_blame_make(&r->c, t, stacks, cores), 0);
	assert_int_equal(sd_blame_rows(&r->c, stacks, &r->s), 0);
	sd_blame_idle(&r->c, r->idle);
}

static inline void account(struct result *r, struct sd_timeline *t, double end, double cores)
{
	account_named(r, t, end, cores, NULL);
}

static inline void done(struct result *r, struct sd_timeline *t)
{
	sd_blame_free(&r->c);
	sd_sampled_free(&r->s);
	sd_timeline_free(t);
}

static inline const struct sd_use *row(const struct result *r, unsigned node, enum sd_activity a)
{
	for (size_t i = 0; i < r->s.n_use; i++)
		if (r->s.use[i].node == node && r->s.use[i].activity == a)
			return &r->s.use[i];
	fail_msg("no row of node %u, %s", node, sd_activity_info[a].name);
	return NULL;
}

static inline void is(double value, double ms)
{
	if (!(fabs(value - ms * 1e-3) < 1e-9))
		fail_msg("%.9g ms, not %.9g", value * 1e3, ms);
}

static inline double sum(const double *v, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += v[i];
	return s;
}

#endif
