/*
 * Whole runs drawn with replacement (METHODS 5): the resamples of a point, and of a point with its
 * reference.
 */
#ifndef SD_DRAWS_H
#define SD_DRAWS_H

#include "runs/run_selection.h"
#include "statistics/statistics.h"

#define SD_DRAWS 2000

/* Draws the runs of a point: times[j], how often run j; the median of their times. */
double sd_draws_point(const struct sd_chosen *p, struct sd_random *random, unsigned *times);

/* Has either too few runs for a bootstrap? Then all pairs of their runs stand for it. */
int sd_draws_few(const struct sd_chosen *ref, const struct sd_chosen *p);

/* One resample of a pair of points after the other. */
struct sd_draws {
	const struct sd_chosen *ref, *now; /* borrowed */
	size_t n;                          /* resamples */
	int range;                         /* few runs: the interval is their range */
	unsigned *times_ref, *times_now;   /* owned */
	double time_ref, time_now;
	struct sd_random random;
};

int sd_draws_begin(struct sd_draws *d, const struct sd_chosen *ref, const struct sd_chosen *now,
	uint64_t seed);                           /* 0 or -ENOMEM; to be ended in every case */
void sd_draws_next(struct sd_draws *d, size_t b); /* 0 <= b < n, in order */
void sd_draws_end(struct sd_draws *d);

#endif
