/*
 * Whole runs drawn with replacement (METHODS 5): the resamples of a point, and of a point with its
 * reference.
 */
#ifndef SD_BOOTSTRAP_H
#define SD_BOOTSTRAP_H

#include "runs/run_selection.h"
#include "base/statistics.h"

#define SD_BOOTSTRAP 2000

/* Draws the runs of a point: times[j], how often run j; the median of their times. */
double sd_bootstrap_point(const struct sd_chosen *p, struct sd_random *random, unsigned *times);

/* Runs of the point that has fewer. Below SD_STATISTICS_FEW there is no bootstrap: all pairs of
 * their runs stand for it. */
size_t sd_bootstrap_runs(const struct sd_chosen *ref, const struct sd_chosen *p);

/* One resample of a pair of points after the other. */
struct sd_bootstrap {
	const struct sd_chosen *ref, *now; /* borrowed */
	size_t n;                          /* resamples */
	size_t runs;                       /* of the point that has fewer */
	unsigned *times_ref, *times_now;   /* owned */
	double time_ref, time_now;
	struct sd_random random;
};

int sd_bootstrap_begin(struct sd_bootstrap *d, const struct sd_chosen *ref,
	const struct sd_chosen *now, uint64_t seed); /* 0 or -ENOMEM; to be ended in every case */
void sd_bootstrap_next(struct sd_bootstrap *d, size_t b); /* 0 <= b < n, in order */
void sd_bootstrap_end(struct sd_bootstrap *d);

#endif
