#include "runs/bootstrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The bootstrap of the stack uses the streams of the points. */
#define STREAM UINT64_C(0x6c6f73736573)

double sd_bootstrap_point(const struct sd_chosen *p, struct sd_random *random, unsigned *times)
{
	size_t middle[2];
	double lower;

	/* the runs are sorted by time */
	sd_statistics_draw(random, p->n_run, times, middle);
	lower = p->parts[middle[0]].time;
	return lower + (p->parts[middle[1]].time - lower) / 2;
}

/* Any number of runs of a modelled machine would be the same. */
static size_t runs_of(const struct sd_chosen *p)
{
	return p->exact ? SD_BOOTSTRAP_RUNS : p->n_run;
}

size_t sd_bootstrap_runs(const struct sd_chosen *ref, const struct sd_chosen *p)
{
	return runs_of(ref) < runs_of(p) ? runs_of(ref) : runs_of(p);
}

size_t sd_bootstrap_draws(const struct sd_chosen *ref, const struct sd_chosen *p)
{
	const size_t runs = ref->n_run > p->n_run ? ref->n_run : p->n_run, least = 200;
	const size_t draws = (size_t)SD_BOOTSTRAP * SD_BOOTSTRAP_RUNS / (runs ? runs : 1);

	if (runs <= SD_BOOTSTRAP_RUNS)
		return SD_BOOTSTRAP;
	return draws < least ? least : draws;
}

size_t sd_bootstrap_resamples(const struct sd_chosen *ref, const struct sd_chosen *now)
{
	return sd_bootstrap_runs(ref, now) < SD_STATISTICS_FEW ? ref->n_run * now->n_run
							       : sd_bootstrap_draws(ref, now);
}

int sd_bootstrap_begin(struct sd_bootstrap *d, const struct sd_chosen *ref,
	const struct sd_chosen *now, uint64_t seed)
{
	*d = (struct sd_bootstrap){.ref = ref, .now = now, .runs = sd_bootstrap_runs(ref, now)};
	d->times_ref = calloc(ref->n_run + 1, sizeof *d->times_ref);
	d->times_now = calloc(now->n_run + 1, sizeof *d->times_now);
	sd_random_seed(&d->random, seed, STREAM);
	return d->times_ref && d->times_now ? 0 : -ENOMEM;
}

static double one(const struct sd_chosen *p, size_t j, unsigned *times)
{
	memset(times, 0, p->n_run * sizeof *times);
	times[j] = 1;
	return p->parts[j].time;
}

void sd_bootstrap_next(struct sd_bootstrap *d, size_t b)
{
	if (d->runs < SD_STATISTICS_FEW) {
		d->time_now = one(d->now, b % d->now->n_run, d->times_now);
		d->time_ref = one(d->ref, b / d->now->n_run, d->times_ref);
		return;
	}
	d->time_ref = sd_bootstrap_point(d->ref, &d->random, d->times_ref);
	d->time_now = sd_bootstrap_point(d->now, &d->random, d->times_now);
}

void sd_bootstrap_skip(struct sd_bootstrap *d, size_t n)
{
	/* a resample draws as many runs as there are */
	if (d->runs >= SD_STATISTICS_FEW)
		sd_random_skip(&d->random, (uint64_t)n * (d->ref->n_run + d->now->n_run));
}

void sd_bootstrap_end(struct sd_bootstrap *d)
{
	free(d->times_ref);
	free(d->times_now);
	*d = (struct sd_bootstrap){0};
}
