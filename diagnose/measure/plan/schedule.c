#include "plan/schedule.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "record/disturbed_runs.h"
#include "record/short_budget.h"
#include "plan/precision.h"

/* Without a budget, runs that only narrow an interval may take as long as the required ones, or
 * this many seconds in all. If the interval is still wide then, the machine is not quiet: half the
 * width would cost four times as many runs. */
#define NARROW_TIMES 2
#define NARROW_S 20.0

/* With fewer undisturbed runs per side, even if all of one side are longer than all of the other,
 * no rank test is significant at .1 % (six: 1 / 924). A loss that scatters would remain uncertain,
 * however large; one that is so many half widths away from scaling needs no ranks. */
#define RANKED_LEAST 7u
#define FAR_FROM_SCALING 4
#define FAR_LEAST 5u
/* s; shorter ones cost too little to be fewer. */
#define FEWER_FROM .2

/* A large loss need not be known to SD_SCHEDULE_PRECISION; this share of the loss is enough. */
#define LOSS_SHARE .2

int sd_schedule_good(const struct sd_run *run)
{
	return run->end == SD_END_EXITED && run->code == 0 && sd_has(run->metric[SD_METRIC_WALL]) &&
	       run->metric[SD_METRIC_WALL].value > 0;
}

int sd_schedule_mixed(const struct sd_run *run)
{
	const struct sd_value before = run->metric[SD_METRIC_LINE_BEFORE],
			      after = run->metric[SD_METRIC_LINE_AFTER];

	return sd_has(before) && sd_has(after) &&
	       (before.value > after.value * SD_SCHEDULE_STATE ||
		       after.value > before.value * SD_SCHEDULE_STATE);
}

static int is_block_run(const struct sd_run *run, size_t point)
{
	return run->kind == SD_RUN_BLOCK && run->point == point && sd_schedule_good(run);
}

unsigned sd_schedule_runs(const struct sd_record *r, size_t point)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		n += is_block_run(&r->run[i], point) ? 1 : 0;
	return n;
}

unsigned sd_schedule_pass(const struct sd_record *r, const struct sd_run *run)
{
	const size_t passes = r->plan.n_pass, turn = sd_plan_turn(&r->plan);
	size_t n, first = 0, size;

	if (run->kind != SD_RUN_BLOCK || passes == 0)
		return 0;
	n = sd_schedule_runs(r, run->point) % (2 * passes);
	/* each turn twice, the last one with what is left */
	while (n >= first + turn && n >= 2 * (first + turn))
		first += turn;
	size = passes - first < turn ? passes - first : turn;
	return (unsigned)(first + (n - 2 * first) % (size ? size : 1));
}

int sd_schedule_has(const struct sd_record *r, size_t point, unsigned block)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK && r->run[i].point == point &&
			r->run[i].block == block)
			return 1;
	return 0;
}

int sd_schedule_simulated(const struct sd_record *r, size_t point)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_SIMULATED && r->run[i].point == point &&
			!(r->run[i].end == SD_END_SIGNALLED &&
				(r->run[i].code == SIGTERM || r->run[i].code == SIGKILL)))
			return 1;
	return 0;
}

size_t sd_schedule_sampled_point(const struct sd_plan *plan)
{
	size_t best = plan->n_point;

	for (size_t p = 0; p < plan->n_point; p++)
		if (!plan->point[p].simulated && plan->point[p].cores > 1 &&
			(best == plan->n_point || plan->point[p].cores > plan->point[best].cores))
			best = p;
	return best;
}

int sd_schedule_sampled_done(const struct sd_record *r, enum sd_run_kind kind)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == kind)
			return 1;
	return 0;
}

unsigned sd_schedule_block(const struct sd_record *r)
{
	unsigned last = 0;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK && r->run[i].block > last)
			last = r->run[i].block;
	return last;
}

int sd_schedule_drift_done(const struct sd_record *r)
{
	int done = r->plan.quick;

	for (size_t i = 0; i < r->n_run && !r->plan.quick; i++)
		if (r->run[i].kind == SD_RUN_DRIFT)
			done = 1;
		else if (r->run[i].kind == SD_RUN_BLOCK)
			done = 0;
	return done;
}

double sd_schedule_wall(const struct sd_record *r, size_t point)
{
	double *wall = malloc((r->n_run + 1) * sizeof *wall), m;
	size_t n = 0;

	if (!wall)
		return NAN;
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].point == point && r->run[i].kind <= SD_RUN_DRIFT &&
			sd_schedule_good(&r->run[i]))
			wall[n++] = sd_run_whole(&r->run[i]).value;
	m = sd_statistics_median(wall, n);
	free(wall);
	return m;
}

unsigned sd_schedule_least(const struct sd_record *r, size_t point)
{
	const unsigned passes = (unsigned)sd_plan_turn(&r->plan);
	unsigned least = r->plan.min_repeats;

	if (r->plan.point[point].simulated)
		return 0;
	if (!least) {
		least = sd_short_budget_runs(sd_schedule_wall(r, point));
		least = least < 2 * passes ? 2 * passes : least;
	}
	return r->plan.max_repeats && least > r->plan.max_repeats ? r->plan.max_repeats : least;
}

/* The line transfer time around a run; 0 unknown. */
static double line_of(const struct sd_run *run)
{
	const struct sd_value before = run->metric[SD_METRIC_LINE_BEFORE],
			      after = run->metric[SD_METRIC_LINE_AFTER];

	return sd_has(before) && sd_has(after) ? sqrt(before.value * after.value) : 0;
}

/* The shortest line transfer time of any run; 0: none is known. */
static double nearest(const struct sd_record *r)
{
	double least = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const double line = line_of(&r->run[i]);

		if (line > 0 && (least == 0 || line < least))
			least = line;
	}
	return least;
}

static int is_far(const struct sd_run *run, double near)
{
	return near > 0 && line_of(run) > near * SD_SCHEDULE_STATE;
}

/* The placement of most block runs: 0 near, or the only one; 1 far. */
static int usual_state(const struct sd_record *r, double near)
{
	size_t far = 0, n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK) {
			n++;
			far += is_far(&r->run[i], near) ? 1 : 0;
		}
	return far > n - far;
}

/*
 * The times, or rates, of a point as the analysis will compare them: usual placement, without runs
 * disturbed by others. At most n_run; 0 if out of memory.
 */
static size_t values_of(const struct sd_record *r, size_t point, double *value)
{
	const enum sd_metric metric = r->program.rate ? SD_METRIC_RATE : SD_METRIC_WALL;
	const double near = nearest(r);
	const int state = usual_state(r, near);
	const struct sd_run **const run = malloc((r->n_run + 1) * sizeof(struct sd_run *));
	size_t n = 0;

	for (size_t i = 0; run && i < r->n_run; i++)
		if (is_block_run(&r->run[i], point) && !sd_schedule_mixed(&r->run[i]) &&
			is_far(&r->run[i], near) == state && sd_has(r->run[i].metric[metric]))
			run[n++] = &r->run[i];
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

/* *few: the smaller number of undisturbed runs, of the point or the reference. */
static double interval_of(const struct sd_record *r, size_t point, double *middle, size_t *few)
{
	double *a = malloc((r->n_run + 1) * sizeof *a), *b = malloc((r->n_run + 1) * sizeof *b);
	double half = INFINITY;
	size_t n_a, n_b;

	*middle = point == 0 ? 1 : NAN;
	*few = 0;
	if (point == 0)
		half = 0;
	if (point && a && b) {
		n_a = values_of(r, 0, a);
		n_b = values_of(r, point, b);
		*few = n_a < n_b ? n_a : n_b;
		half = sd_precision_ratio(a, n_a, b, n_b, r->plan.seed);
		*middle = efficiency(
			r, point, sd_statistics_median(a, n_a), sd_statistics_median(b, n_b));
		if (isfinite(half))
			half *= *middle;
	}
	free(a);
	free(b);
	return half;
}

double sd_schedule_halfwidth(const struct sd_record *r, size_t point)
{
	double middle;
	size_t few;

	return interval_of(r, point, &middle, &few);
}

/* Have the runs that only narrow the interval used up their time? */
static int is_narrowed_enough(const struct sd_record *r)
{
	double spent = 0, least = 0;

	if (r->plan.budget_s > 0)
		return 0;
	if (sd_short_budget_left(r) <= (r->plan.n_experiment ? sd_short_budget_experiments(r) : 0))
		return 1;
	for (size_t p = 0; p < r->plan.n_point; p++) {
		const double wall = sd_schedule_wall(r, p);

		if (r->plan.point[p].simulated || !isfinite(wall))
			continue;
		spent += wall * sd_schedule_runs(r, p);
		least += wall * sd_schedule_least(r, p);
	}
	return spent >= fmax(NARROW_S, NARROW_TIMES * least);
}

/* Is what is lost known to a share of it, and sure? */
static int is_loss_known(double middle, double half, size_t few)
{
	const int far = SD_SCHEDULE_SCALES - middle >= FAR_FROM_SCALING * half;

	return few >= (far ? FAR_LEAST : RANKED_LEAST) && half <= LOSS_SHARE * (1 - middle);
}

/* Passes that come after those which every point gets, as long as there is time. */
static int has_passes_left(const struct sd_record *r, size_t point)
{
	const struct sd_plan *const plan = &r->plan;
	const unsigned runs = sd_schedule_runs(r, point);

	return !plan->point[point].simulated && plan->n_pass > sd_plan_turn(plan) &&
	       runs < plan->max_repeats && runs < 2 * plan->n_pass;
}

/* Is what every count loses known, and so much that no more runs are needed to be sure of it? */
static int is_clear(const struct sd_record *r)
{
	for (size_t p = 0; p < r->plan.n_point; p++) {
		double half, middle;
		unsigned least;
		size_t few;

		if (r->plan.point[p].simulated)
			continue;
		least = sd_schedule_wall(r, p) < FEWER_FROM ? sd_schedule_least(r, p) : FAR_LEAST;
		if (sd_schedule_runs(r, p) < least ||
			sd_schedule_runs(r, p) < 2 * sd_plan_turn(&r->plan))
			return 0;
		half = p ? interval_of(r, p, &middle, &few) : 0;
		if (p && !(few >= FAR_LEAST && is_loss_known(middle, half, FAR_LEAST)))
			return 0;
	}
	return r->plan.n_point > 1;
}

size_t sd_schedule_need(const struct sd_record *r, unsigned char *need, double *worst)
{
	const struct sd_plan *plan = &r->plan;
	size_t n = 0;

	*worst = 0;
	for (size_t p = 0; p < plan->n_point; p++) {
		need[p] = sd_schedule_runs(r, p) < sd_schedule_least(r, p);
		n += need[p];
	}
	if (n && !plan->min_repeats && is_clear(r)) {
		memset(need, 0, plan->n_point);
		n = 0;
	}
	if (n || plan->min_repeats || is_narrowed_enough(r))
		return n;
	for (size_t p = 0; p < plan->n_point; p++)
		need[p] = has_passes_left(r, p);
	for (size_t p = 1; p < plan->n_point; p++) {
		double half, middle;
		unsigned most = plan->max_repeats / 2;
		size_t few;

		if (plan->point[p].simulated)
			continue;
		half = interval_of(r, p, &middle, &few);
		if (half <= SD_SCHEDULE_PRECISION || is_loss_known(middle, half, few))
			continue;
		if (half > *worst)
			*worst = half;
		/* NAN counts as not known, too */
		if (!(fabs(middle - SD_SCHEDULE_SCALES) > half) || few < RANKED_LEAST)
			most = plan->max_repeats;
		if (sd_schedule_runs(r, p) < most) {
			need[p] = 1;
			need[0] |= sd_schedule_runs(r, 0) < most;
		}
	}
	for (size_t p = 0; p < plan->n_point; p++)
		n += need[p];
	return n;
}
