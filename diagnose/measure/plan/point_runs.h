/*
 * The runs of each point, found in one pass over the record: what asks about every point would
 * otherwise look at every run for each. Pure.
 */
#ifndef SD_POINT_RUNS_H
#define SD_POINT_RUNS_H

#include <stddef.h>

#include "record/record.h"

struct sd_point_runs {
	const struct sd_record *record; /* which must not change meanwhile */
	const struct sd_run **run;      /* by point, in the order of the record */
	size_t *first;                  /* [n_point + 1]: where those of a point begin */
	double near;                    /* s, the shortest line transfer of any run; 0 unknown */
	int is_far;                     /* the runs to compare are those of the other placement, */
	int any; /*   or all: they take as long in both, or neither has enough */
};

/* 0 or -ENOMEM, *out empty. Release with sd_point_runs_free(). */
int sd_point_runs_find(const struct sd_record *r, struct sd_point_runs *out);
void sd_point_runs_free(struct sd_point_runs *x);

/* As sd_schedule_runs(), sd_schedule_wall() and sd_schedule_least(). */
unsigned sd_point_runs_good(const struct sd_point_runs *x, size_t point);
double sd_point_runs_wall(const struct sd_point_runs *x, size_t point);
unsigned sd_point_runs_least(const struct sd_point_runs *x, size_t point);

/*
 * Half width of the 95 % interval of the point's efficiency, as a fraction: 0 for the reference,
 * INFINITY if the point has too few runs. Only runs that are to be compared are used, of one
 * machine state where the states differ; disturbed ones are left out. *middle is the efficiency
 * itself, NAN unknown, and *few the smaller number of runs used, of the point or the reference.
 */
double sd_point_runs_interval(
	const struct sd_point_runs *x, size_t point, double *middle, size_t *few);

#endif
