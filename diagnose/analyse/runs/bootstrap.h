/*
 * Bootstrap over whole runs (METHODS 5): resamples of a point, and of a point with its reference.
 */
#ifndef SD_BOOTSTRAP_H
#define SD_BOOTSTRAP_H

#include "runs/run_selection.h"
#include "base/statistics.h"

/* Resamples, as far as the points have SD_BOOTSTRAP_RUNS runs. With more runs there are fewer, so
 * that no more are drawn in all, but 200 at least: their interval is as much narrower. */
#define SD_BOOTSTRAP 2000
#define SD_BOOTSTRAP_RUNS 1000
size_t sd_bootstrap_draws(const struct sd_chosen *ref, const struct sd_chosen *p);

/* Draws the runs of a point: times[j] is how often run j was drawn. Returns the median of their
 * times. */
double sd_bootstrap_point(const struct sd_chosen *p, struct sd_random *random, unsigned *times);

/* Runs of the point that has fewer; an exact one has as many as one likes. Below SD_STATISTICS_FEW
 * all pairs of runs replace the bootstrap. */
size_t sd_bootstrap_runs(const struct sd_chosen *ref, const struct sd_chosen *p);

/* Resamples of a pair of points. */
size_t sd_bootstrap_resamples(const struct sd_chosen *ref, const struct sd_chosen *now);

/* Iterates over them. */
struct sd_bootstrap {
	const struct sd_chosen *ref, *now; /* borrowed */
	size_t runs;                       /* of the point that has fewer */
	unsigned *times_ref, *times_now;   /* owned */
	double time_ref, time_now;
	struct sd_random random;
};

int sd_bootstrap_begin(struct sd_bootstrap *d, const struct sd_chosen *ref,
	const struct sd_chosen *now, uint64_t seed); /* 0 or -ENOMEM; must be ended in every case */
void sd_bootstrap_next(struct sd_bootstrap *d, size_t b); /* in order */
void sd_bootstrap_skip(struct sd_bootstrap *d, size_t n); /* from 0 on: the next is the n-th */
void sd_bootstrap_end(struct sd_bootstrap *d);

#endif
