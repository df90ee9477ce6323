#include "record/short_budget.h"

#include <math.h>

/* s, the longest program at the first point. */
#define SHORT_S 2.0
/* s between the end of a run and the start of the next: what is longer was a pause. */
#define PAUSE_S 20.0

static double wall_of(const struct sd_run *run)
{
	const struct sd_value wall = run->metric[SD_METRIC_WALL];

	return sd_has(wall) && wall.value > 0 ? wall.value : 0;
}

static int is_short(const struct sd_record *r)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].point == 0 && r->run[i].kind <= SD_RUN_DRIFT &&
			wall_of(&r->run[i]) > 0 && wall_of(&r->run[i]) < SHORT_S)
			return 1;
	return 0;
}

double sd_short_budget_left(const struct sd_record *r)
{
	double spent = 0, until = NAN; /* the end of the last run that has a time */

	if (r->plan.budget_s > 0 || !is_short(r))
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
	return fmax(0, SD_SHORT_BUDGET_S - spent);
}

double sd_short_budget_node(const struct sd_record *r)
{
	return r->calibration.made > 0 ? 0 : SD_SHORT_BUDGET_NODE_S;
}

double sd_short_budget_kept(const struct sd_record *r)
{
	return SD_SHORT_BUDGET_COUNT_S + sd_short_budget_node(r);
}
