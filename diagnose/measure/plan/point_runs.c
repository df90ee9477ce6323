#include "plan/point_runs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "plan/precision.h"
#include "plan/one_run.h"
#include "record/disturbed_runs.h"
#include "record/short_budget.h"

/* The line transfer time around a run; 0 unknown. */
static double line_of(const struct sd_run *run)
{
	const struct sd_value before = run->metric[SD_METRIC_LINE_BEFORE],
			      after = run->metric[SD_METRIC_LINE_AFTER];

	return sd_has(before) && sd_has(after) ? sqrt(before.value * after.value) : 0;
}

static int is_far(const struct sd_run *run, double near)
{
	return near > 0 && line_of(run) > near * SD_ONE_RUN_STATE;
}

/* The shortest line transfer, and the placement of most block runs. */
static void find_state(struct sd_point_runs *x)
{
	const struct sd_record *const r = x->record;
	size_t far = 0, n = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const double line = line_of(&r->run[i]);

		if (line > 0 && (x->near == 0 || line < x->near))
			x->near = line;
	}
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK) {
			n++;
			far += is_far(&r->run[i], x->near) ? 1 : 0;
		}
	x->is_far = far > n - far;
}

int sd_point_runs_find(const struct sd_record *r, struct sd_point_runs *out)
{
	const size_t points = r->plan.n_point;
	size_t *const first = calloc(points + 2, sizeof *first);
	const struct sd_run **const run = malloc((r->n_run + 1) * sizeof(struct sd_run *));

	*out = (struct sd_point_runs){.record = r, .run = run, .first = first};
	if (!first || !run) {
		sd_point_runs_free(out);
		return -ENOMEM;
	}
	/* counted two places on, so that filling moves each start to its place */
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].point < points)
			first[r->run[i].point + 2]++;
	for (size_t p = 2; p < points + 2; p++)
		first[p] += first[p - 1];
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].point < points)
			run[first[r->run[i].point + 1]++] = &r->run[i];
	find_state(out);
	return 0;
}

void sd_point_runs_free(struct sd_point_runs *x)
{
	free(x->first);
	free(x->run);
	*x = (struct sd_point_runs){0};
}

static size_t count_of(const struct sd_point_runs *x, size_t point)
{
	return x->first[point + 1] - x->first[point];
}

unsigned sd_point_runs_good(const struct sd_point_runs *x, size_t point)
{
	unsigned n = 0;

	for (size_t i = x->first[point]; i < x->first[point + 1]; i++)
		n += sd_one_run_counts(x->run[i], point) ? 1 : 0;
	return n;
}

double sd_point_runs_wall(const struct sd_point_runs *x, size_t point)
{
	double *const wall = malloc((count_of(x, point) + 1) * sizeof *wall), m;
	size_t n = 0;

	if (!wall)
		return NAN;
	for (size_t i = x->first[point]; i < x->first[point + 1]; i++)
		if (x->run[i]->kind <= SD_RUN_DRIFT && sd_one_run_good(x->run[i]))
			wall[n++] = sd_run_whole(x->run[i]).value;
	m = sd_statistics_median(wall, n);
	free(wall);
	return m;
}

unsigned sd_point_runs_least(const struct sd_point_runs *x, size_t point)
{
	const struct sd_plan *const plan = &x->record->plan;
	const unsigned passes = (unsigned)sd_plan_turn(plan);
	unsigned least = plan->min_repeats;

	if (plan->point[point].simulated)
		return 0;
	if (!least) {
		least = sd_short_budget_runs(sd_point_runs_wall(x, point));
		least = least < 2 * passes ? 2 * passes : least;
	}
	return plan->max_repeats && least > plan->max_repeats ? plan->max_repeats : least;
}

/*
 * The times, or rates, of a point as the analysis will compare them: usual placement, without runs
 * disturbed by others. value[] has room for all of the point; 0 if out of memory.
 */
static size_t values_of(const struct sd_point_runs *x, size_t point, double *value)
{
	const struct sd_record *const r = x->record;
	const enum sd_metric metric = r->program.rate ? SD_METRIC_RATE : SD_METRIC_WALL;
	const struct sd_run **const run =
		malloc((count_of(x, point) + 1) * sizeof(struct sd_run *));
	size_t n = 0;

	for (size_t i = x->first[point]; run && i < x->first[point + 1]; i++)
		if (sd_one_run_counts(x->run[i], point) && !sd_one_run_mixed(x->run[i]) &&
			is_far(x->run[i], x->near) == x->is_far &&
			sd_has(x->run[i]->metric[metric]))
			run[n++] = x->run[i];
	if (run)
		n = sd_disturbed_runs_leave_out(run, n, r->plan.point[point].cores);
	for (size_t i = 0; i < n; i++)
		value[i] = run[i]->metric[metric].value;
	free(run);
	return n;
}

/* E of the point for these medians (METHODS, notation). */
static double efficiency(const struct sd_record *r, size_t point, double reference, double value)
{
	const double cores = r->plan.point[point].cores, first = r->plan.point[0].cores;

	if (r->program.rate)
		return value / reference * first / cores;
	return reference / value * (r->program.scaling == SD_SCALING_WEAK ? 1 : first / cores);
}

double sd_point_runs_interval(
	const struct sd_point_runs *x, size_t point, double *middle, size_t *few)
{
	double *const a = malloc((count_of(x, 0) + 1) * sizeof *a);
	double *const b = malloc((count_of(x, point) + 1) * sizeof *b);
	double half = INFINITY;
	size_t n_a, n_b;

	*middle = point == 0 ? 1 : NAN;
	*few = 0;
	if (point == 0)
		half = 0;
	if (point && a && b) {
		n_a = values_of(x, 0, a);
		n_b = values_of(x, point, b);
		*few = n_a < n_b ? n_a : n_b;
		half = sd_precision_ratio(a, n_a, b, n_b, x->record->plan.seed);
		*middle = efficiency(x->record, point, sd_statistics_median(a, n_a),
			sd_statistics_median(b, n_b));
		if (isfinite(half))
			half *= *middle;
	}
	free(a);
	free(b);
	return half;
}
