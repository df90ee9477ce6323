#include "record/short_budget.h"

#include <math.h>

/* s, a run at the first point, and what a diagnosis of one and two cores takes; in between in
 * proportion, and beyond the last so many runs. Below the first it is the minute. */
static const struct {
	double wall, total;
} known[] = {{2, SD_SHORT_BUDGET_S}, {5, 100}, {20, 280}};
#define RUNS_OF_LONG (280 / 20.0)
#define BOTH_COUNTS \
	1.5 /* times the first count's run: one at each of them, of a program that scales */
/* s between the end of a run and the start of the next: what is longer was a pause. */
#define PAUSE_S 20.0

static double wall_of(const struct sd_run *run)
{
	const struct sd_value wall = run->metric[SD_METRIC_WALL];

	return sd_has(wall) && wall.value > 0 ? wall.value : 0;
}

/* s of the fastest run of a point; 0: none is known. */
static double fastest(const struct sd_record *r, size_t point)
{
	double least = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const double wall = wall_of(&r->run[i]);

		if (r->run[i].point == point && r->run[i].kind <= SD_RUN_DRIFT && wall > 0 &&
			!(least > 0 && least <= wall))
			least = wall;
	}
	return least;
}

double sd_short_budget_of(double wall)
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

/* More counts are more runs; the minute is a minute for all. */
static double total(const struct sd_record *r, double first)
{
	double all = 0;

	for (size_t p = 0; p < r->plan.n_point && first >= known[0].wall; p++)
		all += fastest(r, p);
	return sd_short_budget_of(first) * fmax(1, all / (BOTH_COUNTS * first));
}

int sd_short_budget_is_minute(const struct sd_record *r)
{
	const double first = fastest(r, 0);

	return !(r->plan.budget_s > 0) && first > 0 && first < known[0].wall;
}

double sd_short_budget_left(const struct sd_record *r)
{
	const double first = fastest(r, 0);
	double spent = 0, until = NAN; /* the end of the last run that has a time */

	if (r->plan.budget_s > 0 || !(first > 0))
		return INFINITY;
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];

		if (!(run->start > 0))
			continue; /* no program was run */
		if (run->start > until && run->start - until < PAUSE_S)
			spent += run->start - until;
		spent += wall_of(run);
		until = run->start + wall_of(run);
	}
	return fmax(0, total(r, first) - spent);
}

double sd_short_budget_node(const struct sd_record *r)
{
	return r->calibration.made > 0 ? 0 : SD_SHORT_BUDGET_NODE_S;
}

double sd_short_budget_kept(const struct sd_record *r)
{
	return SD_SHORT_BUDGET_COUNT_S + sd_short_budget_node(r);
}
