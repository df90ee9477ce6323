#include "measure/measure.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "experiment/experiments.h"
#include "plan/planner.h"
#include "record/record_file.h"
#include "measure/record_save.h"
#include "plan/schedule.h"
#include "trial/trial.h"
#include "measure/elsewhere.h"

/* Approximate slowdown of the emulator with plugin, used only to estimate budget and remaining
 * time. */
#define SIMULATED_COST 25.0
/* s of a budget below which starting an emulator is not worthwhile. */
#define LEAST_SIMULATED_S 1
/* Share of a budget that plain runs may use just to become more precise while experiments or
 * simulations remain: those, which tell the cause, take up to 1.5 times the plain runs' time. */
#define EXACT_SHARE 0.4

#define GOES_ON_RUNS 3u

struct job {
	const struct sd_measure *measure;
	struct sd_record *record;
	const struct sd_sink *sink;
	struct sd_trial trial;
	struct sd_record_save own, *save;
	struct sd_elsewhere elsewhere;
	unsigned goes_on; /* runs after whose end its processes went on working */
	int stays;        /* one had none of these */
	unsigned char *need;
	size_t *order;
	double begun; /* s */
	double left;  /* when the run in flight began; < 0 unknown */
	double walls; /* sum of the runs of this job */
	size_t runs;  /* of this job */
	struct sd_progress shown;
	char why[64];
};

/* ---- time ---- */

/* Expected seconds of the next run of a point, including overhead; NAN unknown. */
static double cost(const struct job *j, size_t point)
{
	const double around = j->runs ? (sd_clock_s() - j->begun - j->walls) / (double)j->runs : 0;

	return sd_schedule_wall(j->record, point) + (around > 0 ? around : 0);
}

static double deadline(const struct job *j)
{
	return j->record->plan.budget_s > 0 ? j->begun + j->record->plan.budget_s : 0;
}

static int has_experiments(const struct job *j)
{
	const struct sd_plan *const plan = &j->record->plan;

	for (size_t i = 0; j->measure->choose && i < plan->n_experiment; i++)
		if (!plan->experiment[i].skipped)
			return 1;
	return 0;
}

/* True if every point is to be simulated and this one has not been yet. */
static int lacks_simulation(const struct sd_record *r, size_t point)
{
	const struct sd_plan_simulation *s = r->plan.simulation;

	return s && !s->tried && !sd_schedule_simulated(r, point);
}

/* Will anything after the plain runs need a part of the budget? */
static int has_more(const struct job *j)
{
	for (size_t p = 0; p < j->record->plan.n_point; p++)
		if (lacks_simulation(j->record, p))
			return 1;
	return has_experiments(j);
}

/* When plain runs of the point end: those that are more than the least leave time to what
 * follows. */
static double plain_end(const struct job *j, size_t point)
{
	const struct sd_record *const r = j->record;
	const int more = sd_schedule_runs(r, point) >= sd_schedule_least(r, point);

	return more && has_more(j) ? j->begun + EXACT_SHARE * r->plan.budget_s : deadline(j);
}

/* True if a run of the point, and the drift check if still to come, will end by then. */
static int fits(const struct job *j, size_t point, int with_drift, double by)
{
	double end;

	if (deadline(j) <= 0)
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

static int wants_memory(const struct job *j)
{
	return j->measure->memory && !j->measure->options->no_samples &&
	       !sd_schedule_memory_done(j->record) &&
	       sd_schedule_memory_point(&j->record->plan) < j->record->plan.n_point;
}

/* ---- progress ---- */

/* Estimates the number of runs certain to come, and their time. */
static void look_ahead(struct job *j)
{
	const struct sd_record *r = j->record;
	const double room = deadline(j) > 0 ? fmax(0, deadline(j) - sd_clock_s()) : INFINITY;

	j->shown.planned = j->shown.done + 1; /* the drift check */
	j->left = cost(j, 0);
	if (wants_memory(j)) {
		j->shown.planned++;
		j->left += cost(j, sd_schedule_memory_point(&r->plan));
	}
	for (size_t p = 0; p < r->plan.n_point; p++) {
		const unsigned least = sd_schedule_least(r, p), have = sd_schedule_runs(r, p);
		const unsigned more = have < least ? least - have : j->need[p];

		j->shown.planned += more;
		if (more)
			j->left += more * cost(j, p);
		if (lacks_simulation(r, p)) {
			j->shown.planned++;
			j->left += simulated_cost(r, p);
		}
	}
	if (!(j->left <= room))
		j->left = room;
	if (!isfinite(j->left))
		j->left = -1;
}

static void show(void *ctx, double seconds)
{
	struct job *j = ctx;
	const struct sd_measure *m = j->measure;

	if (!m->progress)
		return;
	j->shown.run_s = seconds;
	j->shown.elapsed_s = sd_clock_s() - j->begun;
	j->shown.left_s = j->left < 0 ? -1 : fmax(0, j->left - seconds);
	j->shown.why = j->why;
	j->shown.record = j->record;
	m->progress(m->progress_ctx, &j->shown);
}

/* ---- runs ---- */

/* Each point still to be simulated gets an equal share of the remaining budget; what it counts
 * until then is kept. 0: no limit. */
static double simulated_most(const struct job *j)
{
	size_t n = 0;

	for (size_t p = 0; p < j->record->plan.n_point; p++)
		n += (size_t)lacks_simulation(j->record, p);
	return deadline(j) > 0 ? fmax(1, (deadline(j) - sd_clock_s()) / (double)(n ? n : 1)) : 0;
}

/* Adds the run to the record and its file. A failed simulation is recorded as missing; otherwise it
 * would read as one that found nothing. */
static int add_run(struct job *j, struct sd_run *run)
{
	const struct sd_simulated *const s =
		run->kind == SD_RUN_SIMULATED && sd_schedule_good(run) ? run->simulated : NULL;
	const unsigned cores = j->record->plan.point[run->point].cores;
	int rc = 0;

	if (s && s->n_thread == 0 && s->processes == 0) {
		char text[400];

		snprintf(text, sizeof text, "%u simulated cores: %s", cores,
			s->why[0] ? s->why : "nothing was simulated");
		sd_say(j->sink, SD_LEVEL_WARNING, "%s", text);
		rc = sd_texts_add_once(&j->record->warnings, text);
	}
	if (!rc)
		rc = sd_record_add(j->record, run);
	if (rc) {
		sd_run_free(run);
		return rc;
	}
	return sd_record_save_write(j->save, j->record, j->sink);
}

/* A program that ends while its processes go on has left them its work: its time is not theirs.
 * Some do in one run, when a helper is late; all runs are no accident. */
static int check_goes_on(struct job *j, const struct sd_run *run)
{
	j->stays |= !(run->flags & SD_RUN_GOES_ON);
	j->goes_on += (run->flags & SD_RUN_GOES_ON) != 0;
	if (j->stays || j->goes_on < GOES_ON_RUNS)
		return 0;
	sd_say(j->sink, SD_LEVEL_ERROR,
		"%s ended after %.2g s, and processes that it left went on working (a daemon); "
		"they were ended. Its time is not that of the work: run it in the foreground "
		"(often an option: -f, -D, --foreground, --no-daemon)",
		j->measure->options->argv[0], run->metric[SD_METRIC_WALL].value);
	return -ENOTSUP;
}

static const char run_it_there[] =
	"it hands its work to processes that it does not start (a daemon, a container engine, a batch system): "
	"run scalediag there, around the program itself, as in `srun scalediag ./app`";

/* Stops measuring if the work is done outside the process tree: otherwise causes would be named for
 * a process that only waits. */
static int check_elsewhere(struct job *j, const struct sd_run *run)
{
	const struct sd_cpulist *const cpus = &j->record->plan.point[run->point].cpus;
	struct sd_elsewhere *const e = &j->elsewhere;
	double busy = -1;

	if ((run->kind != SD_RUN_WARMUP && run->kind != SD_RUN_BLOCK) || e->neighbour ||
		run->point + 1 < j->record->plan.n_point)
		return 0;
	if (sd_elsewhere_asks(run, cpus))
		busy = sd_elsewhere_watch(
			cpus, run->metric[SD_METRIC_WALL].value, j->measure->stop, "");
	sd_elsewhere_add(e, run, cpus, busy);
	if (!sd_elsewhere_is(e))
		return 0;
	sd_say(j->sink, SD_LEVEL_ERROR,
		"%s runs elsewhere: in %u runs its processes used %.2g s of CPU time, others on "
		"its CPUs %.2g s, %.2g s more than in as long without it: %s",
		j->measure->options->argv[0], e->pauses, e->own, e->others, e->more, run_it_there);
	return -ENOTSUP;
}

/* Only warns if there are too few runs to be sure. 0 or -ENOMEM. */
static int warn_elsewhere(struct job *j)
{
	const struct sd_elsewhere *const e = &j->elsewhere;
	char text[600];

	if (!sd_elsewhere_maybe(e))
		return 0;
	snprintf(text, sizeof text,
		"it may run elsewhere (%u of the %u runs it takes to tell): its processes used "
		"%.2g s of CPU time, others on its CPUs %.2g s, %.2g s more than in as long "
		"without it. If so, %s",
		e->pauses, SD_ELSEWHERE_PAUSES, e->own, e->others, e->more, run_it_there);
	sd_say(j->sink, SD_LEVEL_WARNING, "%s", text);
	return sd_texts_add_once(&j->record->warnings, text);
}

/* Does one run, records and writes it. -ECHILD if the program failed in it; reported, except for an
 * emulated run. */
static int run_once(struct job *j, size_t point, enum sd_run_kind kind, unsigned block)
{
	struct sd_run run = {.point = point, .kind = kind, .block = block};
	struct sd_trial_change change = {0};
	const struct sd_run *kept;
	int rc;

	j->shown.cores = j->record->plan.point[point].cores;
	look_ahead(j);
	show(j, 0);
	change.timeout_s = kind == SD_RUN_SIMULATED ? simulated_most(j) : 0;
	rc = sd_trial_run(&j->trial, &run, &change, kind == SD_RUN_BLOCK ? deadline(j) : 0);
	if (rc)
		return rc;
	j->walls += run.metric[SD_METRIC_WALL].value * (1 + run.repeats);
	j->runs++;
	rc = add_run(j, &run);
	if (rc)
		return rc;
	j->shown.done++;
	kept = &j->record->run[j->record->n_run - 1];
	if (sd_schedule_good(kept) || kind == SD_RUN_SIMULATED)
		return !sd_schedule_good(kept)  ? -ECHILD
		       : check_goes_on(j, kept) ? -ENOTSUP
						: check_elsewhere(j, kept);
	sd_trial_say_failure(&j->trial, kept);
	return -ECHILD;
}

static void explain_block(struct job *j, unsigned block, double worst)
{
	unsigned last = 0;

	for (size_t p = 0; p < j->record->plan.n_point; p++) {
		const unsigned least = sd_schedule_least(j->record, p);

		last = least > last ? least : last;
	}
	if (worst > 0 && isfinite(worst))
		snprintf(j->why, sizeof j->why, "to know it better than ±%.1f %%", worst * 100);
	else if (block < last)
		snprintf(j->why, sizeof j->why, "block %u of %u", block + 1, last);
	else
		snprintf(j->why, sizeof j->why, "block %u", block + 1);
}

/* Runs the points of one block that need a run, in random order; *ran counts them. */
static int run_block(struct job *j, unsigned block, size_t *ran)
{
	struct sd_record *r = j->record;
	double worst;
	int rc = 0;

	*ran = 0;
	sd_schedule_need(r, j->need, &worst);
	explain_block(j, block, worst);
	sd_planner_order(&r->plan, block, j->order);
	for (size_t i = 0; i < r->plan.n_point && !rc; i++) {
		const size_t p = j->order[i];

		if (!j->need[p] || sd_schedule_has(r, p, block))
			continue;
		if (sd_schedule_runs(r, p) > 0 && !fits(j, p, 1, plain_end(j, p)))
			continue; /* a shorter point may still fit */
		rc = run_once(j, p, SD_RUN_BLOCK, block);
		j->need[p] = 0;
		(*ran)++;
	}
	return rc;
}

static int run_blocks(struct job *j)
{
	unsigned block = sd_schedule_block(j->record);
	size_t ran;
	/* an interrupted block may have nothing left to do: the next one decides */
	int rc = run_block(j, block, &ran);

	do
		rc = rc ? rc : run_block(j, ++block, &ran);
	while (!rc && ran);
	return rc;
}

/* ---- the software PMU ---- */

/* Warns of an emulated run that ended badly: recorded, but never fails the diagnosis. */
static int warn_simulated(struct job *j, const struct sd_run *run)
{
	const char *const name = j->measure->options->argv[0];
	const unsigned cores = j->record->plan.point[run->point].cores;
	char text[400];

	if (run->end == SD_END_SIGNALLED && run->code == SIGILL)
		snprintf(text, sizeof text,
			"%.100s at %u simulated cores: an instruction that QEMU 7.2 does not have, as those of AVX-512: "
			"rebuild it with -march=x86-64-v3",
			name, cores);
	else if (run->end == SD_END_TIMEOUT)
		snprintf(text, sizeof text,
			"%.100s at %u simulated cores did not end in time (%s): what was counted "
			"until then is kept; --sim-for simulates a part",
			name, cores,
			j->record->plan.budget_s > 0 ? "--budget" : "60 times --timeout");
	else
		snprintf(text, sizeof text,
			"%.100s at %u simulated cores %s %d: what was counted until then is kept",
			name, cores,
			run->end == SD_END_SIGNALLED ? "was killed by signal" : "ended with status",
			run->code);
	sd_say(j->sink, SD_LEVEL_WARNING, "%s", text);
	return sd_texts_add_once(&j->record->warnings, text);
}

static int warn_left_out(struct job *j, size_t point)
{
	char text[160];

	snprintf(text, sizeof text,
		"%u simulated cores left out: --budget is used up; --sim-for simulates a part",
		j->record->plan.point[point].cores);
	sd_say(j->sink, SD_LEVEL_WARNING, "%s", text);
	return sd_texts_add_once(&j->record->warnings, text);
}

/* Runs every point once under the software PMU; a program that fails there only causes a warning.
 */
static int run_simulated(struct job *j)
{
	int rc = 0;

	for (size_t p = 0; !rc && p < j->record->plan.n_point; p++) {
		if (!lacks_simulation(j->record, p))
			continue;
		if (deadline(j) > 0 && !(sd_clock_s() + LEAST_SIMULATED_S <= deadline(j))) {
			rc = warn_left_out(j, p);
			continue;
		}
		snprintf(j->why, sizeof j->why, "simulated");
		rc = run_once(j, p, SD_RUN_SIMULATED, 0);
		if (rc == -ECHILD && j->measure->stop && *j->measure->stop)
			rc = -EINTR;
		else if (rc == -ECHILD)
			rc = warn_simulated(j, &j->record->run[j->record->n_run - 1]);
	}
	return rc;
}

/* ---- samples of loads and stores ---- */

static int run_memory(struct job *j)
{
	const size_t point = sd_schedule_memory_point(&j->record->plan);

	if (!wants_memory(j) || !fits(j, point, 0, deadline(j)))
		return 0;
	snprintf(j->why, sizeof j->why, "loads and stores");
	return run_once(j, point, SD_RUN_MEMORY, 0);
}

/* Whether the record lacks anything at all. */
static int is_finished(struct job *j)
{
	double worst;

	for (size_t p = 0; p < j->record->plan.n_point; p++)
		if (lacks_simulation(j->record, p))
			return 0;
	return !wants_memory(j) && sd_schedule_need(j->record, j->need, &worst) == 0 &&
	       sd_schedule_drift_done(j->record);
}

/* ---- experiments ---- */

static int keep(void *ctx, struct sd_run *run)
{
	struct job *j = ctx;
	j->shown.done++;
	return add_run(j, run);
}

/* s; a shorter run under the software PMU is not worth its start. */
#define SIMULATED_LEAST 4.0

/* Expected seconds of a pair of an experiment: those of its last pair, or an estimate. A partial
 * simulated run is still of use. */
static double pair_cost(const struct job *j, size_t index)
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

static int run_experiments(struct job *j)
{
	const struct sd_measure *m = j->measure;
	struct sd_plan *plan = &j->record->plan;
	struct sd_experiments x;
	size_t index = 0;
	int rc = 0;

	if (!m->choose || !m->experiments)
		return 0;
	x = *m->experiments;
	x.keep = keep;
	x.keep_ctx = j;
	while (!rc && (rc = m->choose(m->choose_ctx, j->record, &index)) > 0) {
		if (index >= plan->n_experiment || plan->experiment[index].skipped)
			return 0; /* never: the caller asked for one that can be done */
		if (deadline(j) > 0 && !(sd_clock_s() + pair_cost(j, index) <= deadline(j)))
			return 0;
		j->shown.cores = plan->point[plan->experiment[index].point].cores;
		j->shown.planned = j->shown.done + 2;
		j->left = -1;
		snprintf(j->why, sizeof j->why, "experiment %s",
			sd_experiment_info[plan->experiment[index].experiment].name);
		rc = sd_experiments_round(&x, &j->trial, plan, index, deadline(j));
	}
	return rc;
}

static int carry_out_plan(struct job *j)
{
	int rc;

	if (is_finished(j))
		return 0;
	memset(j->need, 0, j->record->plan.n_point);
	snprintf(j->why, sizeof j->why, "warm-up");
	rc = run_once(j, 0, SD_RUN_WARMUP, 0);
	if (!rc)
		rc = run_blocks(j);
	if (!rc && !sd_schedule_drift_done(j->record) && fits(j, 0, 0, deadline(j))) {
		snprintf(j->why, sizeof j->why, "drift check");
		rc = run_once(j, 0, SD_RUN_DRIFT, 0);
	}
	if (!rc)
		rc = run_memory(j);
	return rc ? rc : run_simulated(j);
}

static int carry_out(struct job *j)
{
	const int rc = carry_out_plan(j);

	return rc ? rc : run_experiments(j);
}

int sd_measure(const struct sd_measure *m, struct sd_record *record, const struct sd_sink *sink)
{
	struct job j = {.measure = m, .record = record, .sink = sink, .begun = sd_clock_s()};
	int rc = -ENOMEM;

	j.own.path = m->record_path;
	j.save = m->save ? m->save : &j.own;
	j.shown.done = record->n_run;
	j.need = calloc(record->plan.n_point + 1, sizeof *j.need);
	j.order = calloc(record->plan.n_point + 1, sizeof *j.order);
	if (!j.need || !j.order)
		goto out;
	rc = sd_trial_open(&j.trial, m, record, sink);
	if (rc)
		goto out;
	j.trial.stacks = &record->stacks;
	j.trial.progress = show;
	j.trial.progress_ctx = &j;
	/* before the first run: a record that cannot be written must not cost a run */
	record->complete = 0;
	rc = sd_record_save_write(j.save, record, sink);
	if (!rc)
		rc = carry_out(&j);
	if (!rc)
		rc = warn_elsewhere(&j);
	if (!rc) {
		record->complete = 1;
		rc = sd_record_save_write(j.save, record, sink);
	}
out:
	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
	sd_trial_close(&j.trial);
	free(j.need);
	free(j.order);
	return rc;
}
