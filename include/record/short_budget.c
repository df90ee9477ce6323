#include "record/short_budget.h"

#include <math.h>
#include <stdlib.h>

/* s, a run, and what a diagnosis of one and two cores takes; in between in proportion, beyond the
 * last so many runs, and below the first as much as there. */
static const struct {
	double wall, total;
} known[] = {{.5, SD_SHORT_BUDGET_S}, {5, 98}, {20, 278}};
#define RUNS_OF_LONG (278 / 20.0)
#define COUNTS 2

/* Least runs: times of shorter programs scatter more, and cost less (METHODS 5). */
#define LEAST_RUNS 5u
static const struct {
	double below; /* s a run */
	unsigned runs;
} least_of_short[] = {{.2, 10}, {2, 7}};

/* Shares of it and the most s: for experiments; for the largest point under the software PMU, at
 * least, of which the reference of one core has a share; for all that the software PMU does where
 * it is to decide; and for counting what was simulated only in part. */
#define EXPERIMENTS_SHARE .45
#define EXPERIMENTS_MOST 40.0
#define SIMULATED_SHARE .3
#define SIMULATED_MOST 8.0
#define REFERENCE_SHARE .2
#define COUNTS_SHARE .6
#define COUNTS_MOST 24.0
#define COUNT_SHARE .08
#define COUNT_MOST 5.0
/* A calibration that takes a larger share of it leaves too little for what it is to tell. */
#define NODE_SHARE .125
/* s between the end of a run and the start of the next: what is longer was a pause. So was what a
 * run takes beyond these and as many times the usual, as times may vary. */
#define PAUSE_S 20.0
#define VARIES 3

static double wall_of(const struct sd_run *run)
{
	const struct sd_value wall = run->metric[SD_METRIC_WALL];

	return sd_has(wall) && wall.value > 0 ? wall.value : 0;
}

struct timed {
	size_t point;
	double wall; /* s */
};

static int by_point_and_wall(const void *a, const void *b)
{
	const struct timed *const x = a, *const y = b;

	return x->point != y->point ? (x->point > y->point) - (x->point < y->point)
				    : (x->wall > y->wall) - (x->wall < y->wall);
}

/* The time that runs take, s, whatever state the machine was in: the fastest run knows one state
 * alone. */
struct usual {
	double run;     /* the mean over the points of their median runs; 0 unknown */
	double longest; /* the largest of these medians */
};

static struct usual usual(const struct sd_record *r)
{
	struct timed *const v = calloc(r->n_run + 1, sizeof *v);
	size_t n = 0, points = 0;
	struct usual u = {0, 0};

	for (size_t i = 0; v && i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];

		if (run->point < r->plan.n_point && run->kind <= SD_RUN_DRIFT && wall_of(run) > 0)
			v[n++] = (struct timed){run->point, wall_of(run)};
	}
	if (v)
		qsort(v, n, sizeof *v, by_point_and_wall);
	for (size_t i = 0, k = 0; i < n; i = k, points++) {
		double median;

		while (k < n && v[k].point == v[i].point)
			k++;
		median = (v[(i + k - 1) / 2].wall + v[(i + k) / 2].wall) / 2;
		u.run += median;
		u.longest = fmax(u.longest, median);
	}
	free(v);
	u.run = points ? u.run / (double)points : 0;
	return u;
}

unsigned sd_short_budget_runs(double wall)
{
	for (size_t i = 0; i < sizeof least_of_short / sizeof *least_of_short; i++)
		if (wall < least_of_short[i].below) /* false for NAN */
			return least_of_short[i].runs;
	return LEAST_RUNS;
}

static double of_two(double wall)
{
	const size_t n = sizeof known / sizeof *known;
	size_t i = 0;

	if (wall < known[0].wall)
		return known[0].total;
	while (i < n && wall >= known[i].wall)
		i++;
	if (i == n)
		return RUNS_OF_LONG * wall;
	return known[i - 1].total + (wall - known[i - 1].wall) *
					    (known[i].total - known[i - 1].total) /
					    (known[i].wall - known[i - 1].wall);
}

double sd_short_budget_of(double wall, size_t counts)
{
	return of_two(wall) * fmax(1, (double)counts / COUNTS);
}

/* INFINITY: there is none, or nobody knows yet. */
static double total(const struct sd_record *r)
{
	const double wall = r->plan.budget_s > 0 ? 0 : usual(r).run;
	size_t counts = 0;

	for (size_t p = 0; p < r->plan.n_point; p++)
		counts += !r->plan.point[p].simulated;
	return wall > 0 ? sd_short_budget_of(wall, counts) : INFINITY;
}

/* s of the budget that the run took. A plain run that took more than any usual one while a signal
 * stopped it, or so much more that its machine was stopped, counts as a usual one. Simulated ones
 * take that long. */
static double spent_on(const struct sd_run *run, const struct usual *u)
{
	const double wall = wall_of(run);
	const double most =
		run->flags & SD_RUN_STOPPED ? u->longest : VARIES * u->longest + PAUSE_S;

	return run->kind <= SD_RUN_DRIFT && u->longest > 0 && wall > most ? u->longest : wall;
}

double sd_short_budget_left(const struct sd_record *r)
{
	const double whole = total(r);
	const struct usual u = usual(r);
	double spent = 0, until = NAN; /* the end of the last run that has a time */

	if (!isfinite(whole))
		return INFINITY;
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];

		if (!(run->start > 0))
			continue; /* no program was run */
		if (run->start > until && run->start - until < PAUSE_S)
			spent += run->start - until;
		spent += spent_on(run, &u);
		until = run->start + wall_of(run);
	}
	return fmax(0, whole - spent);
}

double sd_short_budget_experiments(const struct sd_record *r)
{
	return fmin(EXPERIMENTS_MOST, EXPERIMENTS_SHARE * total(r));
}

double sd_short_budget_counts(const struct sd_record *r)
{
	return fmin(COUNTS_MOST, COUNTS_SHARE * total(r));
}

double sd_short_budget_simulated(const struct sd_record *r)
{
	return fmin(SIMULATED_MOST, SIMULATED_SHARE * total(r));
}

double sd_short_budget_reference(const struct sd_record *r)
{
	return sd_short_budget_simulated(r) * (r->plan.point[0].cores > 1 ? 1 : REFERENCE_SHARE);
}

double sd_short_budget_node(const struct sd_record *r)
{
	return r->calibration.made > 0 || SD_SHORT_BUDGET_NODE_S > NODE_SHARE * total(r)
		       ? 0
		       : SD_SHORT_BUDGET_NODE_S;
}

double sd_short_budget_plain(const struct sd_record *r)
{
	unsigned runs = r->plan.quick ? 0 : 1; /* the drift check */

	for (size_t p = 0; p < r->plan.n_point; p++) {
		unsigned least = r->plan.min_repeats ? r->plan.min_repeats : LEAST_RUNS;

		for (size_t i = 0; i < r->n_run && least; i++)
			least -= r->run[i].kind == SD_RUN_BLOCK && r->run[i].point == p;
		runs += r->plan.point[p].simulated ? 0 : least;
	}
	return runs * usual(r).run;
}

double sd_short_budget_kept(const struct sd_record *r)
{
	return fmin(COUNT_MOST, COUNT_SHARE * total(r)) + sd_short_budget_node(r);
}
