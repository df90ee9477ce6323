#include "evidence/repeated_work.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "accounting/parts_by_stack.h"

#define NEAR .07          /* of the ratio of the cores */
#define LEAST_SHARE .05   /* of the reference's user time: less is not told from nothing */
#define LEAST_SAMPLES 200 /* of a function at the reference: known to 7 % */

/* User time of one point by function, core-s of all its sampled runs. */
struct sum {
	const struct sd_code_places *places;
	double *seconds; /* [function] */
	double *samples; /* [function] */
	double capacity; /* core-s of the present run */
	double hz;
	size_t n_run;
};

static void add(void *ctx, unsigned node, enum sd_part part, double value)
{
	const struct sum *const s = ctx;
	const size_t f = s->places->spot[sd_code_places_spot(s->places, node)].function;

	if (part != SD_PART_USER)
		return;
	s->seconds[f] += s->capacity * value;
	s->samples[f] += s->capacity * value * s->hz;
}

static void add_point(struct sum *s, const struct sd_chosen *p)
{
	for (size_t j = 0; j < p->n_run; j++) {
		if (!sd_parts_by_stack_sampled(p->run[j]))
			continue;
		s->capacity = (double)p->n * p->parts[j].time;
		s->hz = p->run[j]->sampled.hz;
		sd_parts_by_stack_each(p->run[j], p->n, &p->parts[j], add, s);
		s->n_run++;
	}
}

static void compare(const struct sd_case *c, const struct sum *before, const struct sum *after,
	struct sd_repeated_work *out)
{
	const double cores = (double)c->last->n / c->ref->n;
	double all = 0, added = 0, most = 0, repeated = 0;

	for (size_t f = 0; f < c->spread->places.n_function; f++) {
		all += before->seconds[f] / (double)before->n_run;
		added += after->seconds[f] / (double)after->n_run -
			 before->seconds[f] / (double)before->n_run;
	}
	for (size_t f = 1; f < c->spread->places.n_function; f++) {
		const double was = before->seconds[f] / (double)before->n_run;
		const double is = after->seconds[f] / (double)after->n_run;

		if (was < LEAST_SHARE * all || before->samples[f] < LEAST_SAMPLES ||
			fabs(is / was / cores - 1) > NEAR)
			continue;
		repeated += is - was;
		if (is - was <= most)
			continue;
		most = is - was;
		out->function = (unsigned)f;
		out->times = is / was;
	}
	if (!out->function || !(added > 0) || !(c->last->median_time > 0))
		return;
	out->cores = repeated / c->last->median_time;
	out->share = repeated / added;
}

int sd_repeated_work_find(const struct sd_case *c, struct sd_repeated_work *out)
{
	struct sum before = {.places = &c->spread->places}, after = {.places = &c->spread->places};
	const size_t n = c->spread->places.n_function;
	int rc = -ENOMEM;

	*out = (struct sd_repeated_work){0};
	if (!c->spread->now || c->last->n <= c->ref->n || fabs(c->last->work - 1) > 1e-9)
		return 0;
	before.seconds = calloc(n, sizeof(double));
	before.samples = calloc(n, sizeof(double));
	after.seconds = calloc(n, sizeof(double));
	after.samples = calloc(n, sizeof(double));
	if (before.seconds && before.samples && after.seconds && after.samples) {
		add_point(&before, c->ref);
		add_point(&after, c->last);
		if (before.n_run && after.n_run)
			compare(c, &before, &after, out);
		rc = 0;
	}
	free(before.seconds);
	free(before.samples);
	free(after.seconds);
	free(after.samples);
	return rc;
}
