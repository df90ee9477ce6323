#include "measure/measure_budget.h"

#include <math.h>

#include "base/clock.h"
#include "plan/point_runs.h"
#include "plan/schedule.h"
#include "record/short_budget.h"

/* Approximate slowdown of the emulator with plugin, used only to estimate budget and remaining
 * time. */
#define SIMULATED_COST 25.0

/* Share of a budget that plain runs may use just to become more precise while experiments or
 * simulations remain: those, which tell the cause, take up to 1.5 times the plain runs' time. */
#define EXACT_SHARE 0.4

/* s; a shorter run under the software PMU is not worth its start. */
#define SIMULATED_LEAST 4.0

double sd_measure_budget_end(const struct sd_measure_job *j)
{
	return j->record->plan.budget_s > 0 ? j->begun + j->record->plan.budget_s : 0;
}

/* Seconds around each run. */
static double overhead(const struct sd_measure_job *j)
{
	return j->runs ? fmax(0, (sd_clock_s() - j->begun - j->walls) / (double)j->runs) : 0;
}

/* Expected seconds of the next run of a point, including overhead; NAN unknown. */
static double cost(const struct sd_measure_job *j, size_t point)
{
	return sd_schedule_wall(j->record, point) + overhead(j);
}

static int has_experiments(const struct sd_measure_job *j)
{
	const struct sd_plan *const plan = &j->record->plan;

	for (size_t i = 0; j->measure->choose && i < plan->n_experiment; i++)
		if (!plan->experiment[i].skipped)
			return 1;
	return 0;
}

/* True if every point is to be simulated and this one has not been as often as asked. */
int sd_measure_budget_lacks_simulation(const struct sd_record *r, size_t point)
{
	const struct sd_plan_simulation *s = r->plan.simulation;

	return s && !s->tried && sd_schedule_simulated(r, point) < (s->runs ? s->runs : 1);
}

/* Will anything after the plain runs need a part of the budget? */
static int has_more(const struct sd_measure_job *j)
{
	for (size_t p = 0; p < j->record->plan.n_point; p++)
		if (sd_measure_budget_lacks_simulation(j->record, p))
			return 1;
	return has_experiments(j);
}

/* When plain runs of the point end: those that are more than the least leave time to what
 * follows. */
double sd_measure_budget_plain_end(const struct sd_measure_job *j, size_t point)
{
	const struct sd_record *const r = j->record;
	const int more = sd_schedule_runs(r, point) >= sd_schedule_least(r, point);

	return more && has_more(j) ? j->begun + EXACT_SHARE * r->plan.budget_s
				   : sd_measure_budget_end(j);
}

/* True if a run of the point, and the drift check if still to come, will end by then. */
int sd_measure_budget_fits(const struct sd_measure_job *j, size_t point, int with_drift, double by)
{
	double end;

	if (sd_measure_budget_end(j) <= 0)
		return 1;
	end = sd_clock_s() + cost(j, point);
	if (with_drift && sd_schedule_runs(j->record, 0))
		end += cost(j, 0);
	return end <= by; /* false if unknown */
}

/*
 * Expected seconds of the software PMU for a point: SIMULATED_COST times the CPU time of the
 * nearest core count, not above its own, with a plain run, divided by the CPUs available. NAN
 * unknown.
 */
static double simulated_cost(const struct sd_record *r, size_t point)
{
	const struct sd_plan_point *p = &r->plan.point[point];
	double wall = NAN;

	for (size_t i = point + 1; i-- > 0 && !(wall > 0);)
		wall = sd_schedule_wall(r, i) * (double)r->plan.point[i].cpus.n;
	return SIMULATED_COST * wall / (double)p->cpus.n;
}

int sd_measure_budget_wants_samples(const struct sd_measure_job *j, enum sd_run_kind kind)
{
	return (kind == SD_RUN_MEMORY ? j->measure->memory : j->measure->events) &&
	       !j->record->plan.quick && !j->measure->options->no_samples &&
	       !sd_schedule_sampled_done(j->record, kind) &&
	       sd_schedule_sampled_point(&j->record->plan) < j->record->plan.n_point;
}

int sd_measure_budget_wants_drift(const struct sd_measure_job *j)
{
	const struct sd_plan *const plan = &j->record->plan;

	return !plan->quick && !j->measure->model && !(j->measure->attach && plan->n_point == 1);
}

/* As cost(); of a point without runs as much as the next smaller one that has some, else the next
 * larger, else the warm-up: more cores seldom take longer. */
static double expected_cost(
	const struct sd_measure_job *j, const struct sd_point_runs *x, size_t point)
{
	const double around = overhead(j);
	double s = NAN;

	for (size_t p = point + 1; p-- > 0 && !(s > 0);)
		s = sd_point_runs_wall(x, p) + around;
	for (size_t p = point; p < j->record->plan.n_point && !(s > 0); p++)
		s = sd_point_runs_wall(x, p) + around;
	if (!(s > 0) && j->measure->usual)
		s = j->measure->usual[point];
	if (!(s > 0) && j->record->n_run && sd_has(sd_run_whole(&j->record->run[0])))
		s = sd_run_whole(&j->record->run[0]).value;
	return s;
}

double sd_measure_budget_experiments(const struct sd_measure_job *j, double plain_left)
{
	double plain = plain_left, tried = 0, most;

	if (!j->measure->experiments || !has_experiments(j))
		return 0;
	for (size_t i = 0; i < j->record->n_run; i++) {
		const struct sd_run *const run = &j->record->run[i];

		if (!sd_has(run->metric[SD_METRIC_WALL]))
			continue;
		if (run->kind == SD_RUN_EXPERIMENT)
			tried += sd_run_whole(run).value;
		else if (run->kind <= SD_RUN_DRIFT)
			plain += sd_run_whole(run).value;
	}
	most = fmax(SD_EXPERIMENTS_SHARE * plain, SD_EXPERIMENTS_S) - tried;
	most = fmin(most, sd_short_budget_left(j->record) - plain_left);
	if (sd_measure_budget_end(j) > 0)
		most = fmin(most, sd_measure_budget_end(j) - sd_clock_s());
	return fmax(0, most);
}

/* Estimates the number of runs certain to come, and the time of these and of the experiments. */
void sd_measure_budget_look_ahead(struct sd_measure_job *j)
{
	const struct sd_record *r = j->record;
	const double room = sd_measure_budget_end(j) > 0
				    ? fmax(0, sd_measure_budget_end(j) - sd_clock_s())
				    : INFINITY;
	struct sd_point_runs x;

	j->shown.planned = j->shown.done;
	j->left = 0;
	if (sd_point_runs_find(r, &x)) {
		j->left = -1;
		return;
	}
	if (sd_measure_budget_wants_drift(j)) {
		j->shown.planned++;
		j->left = expected_cost(j, &x, 0);
	}
	for (enum sd_run_kind kind = SD_RUN_MEMORY; kind <= SD_RUN_EVENTS; kind++)
		if (sd_measure_budget_wants_samples(j, kind)) {
			j->shown.planned++;
			j->left += expected_cost(j, &x, sd_schedule_sampled_point(&r->plan));
		}
	for (size_t p = 0; p < r->plan.n_point; p++) {
		const unsigned least = sd_point_runs_least(&x, p), have = sd_point_runs_good(&x, p);
		const unsigned more = have < least ? least - have : j->need[p];

		j->shown.planned += more;
		if (more)
			j->left += more * expected_cost(j, &x, p);
		if (sd_measure_budget_lacks_simulation(r, p)) {
			j->shown.planned++;
			j->left += simulated_cost(r, p);
		}
	}
	sd_point_runs_free(&x);
	j->spare = sd_measure_budget_experiments(j, j->left);
	j->left += j->spare;
	if (!(j->left <= room))
		j->left = room;
	if (!isfinite(j->left))
		j->left = -1;
}

/* Each point still to be simulated gets an equal share of the remaining budget; what it counts
 * until then is kept. 0: no limit. */
double sd_measure_budget_simulated(const struct sd_measure_job *j)
{
	size_t n = 0;

	for (size_t p = 0; p < j->record->plan.n_point; p++)
		n += (size_t)sd_measure_budget_lacks_simulation(j->record, p);
	return sd_measure_budget_end(j) > 0
		       ? fmax(1, (sd_measure_budget_end(j) - sd_clock_s()) / (double)(n ? n : 1))
		       : 0;
}

/* Expected seconds of a pair of an experiment: those of its last pair, or an estimate. A partial
 * simulated run is still of use. */
double sd_measure_budget_pair(const struct sd_measure_job *j, size_t index)
{
	const struct sd_plan_experiment *e = &j->record->plan.experiment[index];
	const struct sd_experiment_info *info = &sd_experiment_info[e->experiment];
	double s = sd_schedule_wall(j->record, e->point) * (1 + info->cost);

	if (e->experiment == SD_EXPERIMENT_SOFTWARE_PMU)
		return fmin(s, SIMULATED_LEAST);
	if (info->at == SD_EXPERIMENT_AT_BOTH)
		s += sd_schedule_wall(j->record, 0) * (1 + info->cost);
	return s;
}
