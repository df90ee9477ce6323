#include "plan/point_runs.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "plan/precision.h"
#include "plan/one_run.h"
#include "record/disturbed_runs.h"
#include "record/short_budget.h"

/* A placement's runs stand for a count from so many on (the analysis' SD_KEPT_STATE_RUNS). */
#define STATE_RUNS 3

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

/* Times of a point's runs in a placement; a run across a change is of neither. */
static struct sd_group times_in(
	const struct sd_point_runs *x, size_t point, int far, double *scratch)
{
	const enum sd_metric metric = x->record->program.rate ? SD_METRIC_RATE : SD_METRIC_WALL;
	struct sd_group g = {0};

	for (size_t i = x->first[point]; i < x->first[point + 1]; i++) {
		const struct sd_run *const run = x->run[i];

		if (sd_one_run_counts(run, point) && !sd_one_run_mixed(run) &&
			is_far(run, x->near) == far && sd_has(run->metric[metric]))
			scratch[g.n++] = run->metric[metric].value;
	}
	if (g.n) {
		g.cv = sd_statistics_cv(scratch, g.n);
		g.median = sd_statistics_median(scratch, g.n);
	}
	return g;
}

/* Runs of a placement: the fewest of a count, and all. */
struct seen {
	size_t least, all;
};

static void add_point(struct seen *s, size_t n)
{
	s->least = n < s->least ? n : s->least;
	s->all += n;
}

/*
 * The shortest line transfer, and which runs the analysis will compare (its kept_state.h): all
 * where they take as long in both placements or neither has enough at every count, else those of
 * the one that has.
 */
static void find_state(struct sd_point_runs *x, double *scratch)
{
	const struct sd_record *const r = x->record;
	struct seen near = {SIZE_MAX, 0}, far = {SIZE_MAX, 0};
	size_t both = 0, apart = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const double line = line_of(&r->run[i]);

		if (line > 0 && (x->near == 0 || line < x->near))
			x->near = line;
	}
	for (size_t p = 0; p < r->plan.n_point; p++) {
		struct sd_group g[2];

		if (r->plan.point[p].simulated)
			continue;
		g[0] = times_in(x, p, 0, scratch);
		g[1] = times_in(x, p, 1, scratch);
		add_point(&near, g[0].n);
		add_point(&far, g[1].n);
		both += g[0].n > 1 && g[1].n > 1;
		apart += g[0].n > 1 && g[1].n > 1 && sd_statistics_differ(&g[0], &g[1]);
	}
	x->is_far = far.least == near.least ? far.all > near.all : far.least > near.least;
	x->any = (both && !apart) || (near.least < STATE_RUNS && far.least < STATE_RUNS);
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
	if (r->n_run) {
		double *const scratch = malloc(r->n_run * sizeof *scratch);

		if (!scratch) {
			sd_point_runs_free(out);
			return -ENOMEM;
		}
		find_state(out, scratch);
		free(scratch);
	}
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
	if (!least && plan->simulation && plan->simulation->whole) {
		least = plan->n_pass > 1 ? (unsigned)plan->n_pass : 1;
	} else if (!least) {
		least = sd_short_budget_runs(sd_point_runs_wall(x, point));
		least = least < 2 * passes ? 2 * passes : least;
	}
	return plan->max_repeats && least > plan->max_repeats ? plan->max_repeats : least;
}

/*
 * The times, or rates, of a point as the analysis will compare them: without runs of a placement
 * that is not, and without those disturbed by others. value[] has room for all of the point; 0 if
 * out of memory.
 */
static size_t values_of(const struct sd_point_runs *x, size_t point, double *value)
{
	const struct sd_record *const r = x->record;
	const enum sd_metric metric = r->program.rate ? SD_METRIC_RATE : SD_METRIC_WALL;
	const struct sd_run **const run =
		malloc((count_of(x, point) + 1) * sizeof(struct sd_run *));
	size_t n = 0;

	for (size_t i = x->first[point]; run && i < x->first[point + 1]; i++)
		if (sd_one_run_counts(x->run[i], point) && sd_has(x->run[i]->metric[metric]) &&
			(x->any || (!sd_one_run_mixed(x->run[i]) &&
					   is_far(x->run[i], x->near) == x->is_far)))
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
