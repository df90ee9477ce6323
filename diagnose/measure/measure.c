#include "measure/measure.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "experiment/experiments.h"
#include "launch/program_file.h"
#include "plan/planner.h"
#include "plan/point_runs.h"
#include "measure/measure_budget.h"
#include "measure/measure_rest.h"
#include "measure/measure_run.h"
#include "plan/schedule.h"
#include "trial/trial.h"

/* s of a budget below which starting an emulator is not worthwhile. */
#define LEAST_SIMULATED_S 1

static void explain_block(struct sd_measure_job *j, unsigned block, double worst)
{
	struct sd_point_runs x;
	unsigned last = 0;

	if (sd_point_runs_find(j->record, &x) == 0)
		for (size_t p = 0; p < j->record->plan.n_point; p++) {
			const unsigned least = sd_point_runs_least(&x, p);

			last = least > last ? least : last;
		}
	sd_point_runs_free(&x);
	if (worst > 0 && isfinite(worst))
		snprintf(j->why, sizeof j->why, "to know it better than ±%.1f %%", worst * 100);
	else if (block < last)
		snprintf(j->why, sizeof j->why, "block %u of %u", block + 1, last);
	else
		snprintf(j->why, sizeof j->why, "block %u", block + 1);
}

/* Runs the points of the block that need a run (j->need), in random order; *ran counts them. */
static int run_block(struct sd_measure_job *j, unsigned block, double worst, size_t *ran)
{
	struct sd_record *r = j->record;
	int rc = 0;

	*ran = 0;
	explain_block(j, block, worst);
	sd_planner_order(&r->plan, block, j->order);
	for (size_t i = 0; i < r->plan.n_point && !rc; i++) {
		const size_t p = j->order[i];

		if (!j->need[p] || sd_schedule_has(r, p, block))
			continue;
		if (sd_schedule_runs(r, p) > 0 &&
			!sd_measure_budget_fits(j, p, 1, sd_measure_budget_plain_end(j, p)))
			continue; /* a shorter point may still fit */
		rc = sd_measure_run_once(j, p, SD_RUN_BLOCK, block);
		j->need[p] = 0;
		(*ran)++;
	}
	return rc;
}

/* Tells the user what is suspected, once every point has a run. */
static void take_glance(struct sd_measure_job *j)
{
	const struct sd_measure *const m = j->measure;

	if (!m->glance || !m->progress)
		return;
	for (size_t p = 0; p < j->record->plan.n_point; p++)
		if (!sd_schedule_runs(j->record, p))
			return;
	free(j->glance);
	j->glance = m->glance(m->glance_ctx, j->record);
}

/* ---- the software PMU ---- */

/* Warns of an emulated run that ended badly: recorded, but never fails the diagnosis. */
static int warn_simulated(struct sd_measure_job *j, const struct sd_run *run)
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
			"until then is kept; --sim for=10%% simulates a part",
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

static int warn_left_out(struct sd_measure_job *j, size_t point)
{
	char text[160];

	snprintf(text, sizeof text,
		"%u simulated cores left out: --budget is used up; --sim for=10%% simulates a part",
		j->record->plan.point[point].cores);
	sd_say(j->sink, SD_LEVEL_WARNING, "%s", text);
	return sd_texts_add_once(&j->record->warnings, text);
}

/* Runs every point under the software PMU, once where nothing else is asked; a program that fails
 * there only causes a warning.
 */
static int run_simulated(struct sd_measure_job *j)
{
	int rc = 0;

	for (size_t p = 0; !rc && p < j->record->plan.n_point; p++) {
		if (!sd_measure_budget_lacks_simulation(j->record, p))
			continue;
		if (sd_measure_budget_end(j) > 0 &&
			!(sd_clock_s() + LEAST_SIMULATED_S <= sd_measure_budget_end(j))) {
			rc = warn_left_out(j, p);
			continue;
		}
		snprintf(j->why, sizeof j->why, "simulated");
		rc = sd_measure_run_once(j, p, SD_RUN_SIMULATED, 0);
		if (rc == -ECHILD && j->measure->stop && *j->measure->stop)
			rc = -EINTR;
		else if (rc == -ECHILD)
			rc = warn_simulated(j, &j->record->run[j->record->n_run - 1]);
		else if (!rc && sd_measure_budget_lacks_simulation(j->record, p))
			p--; /* this point again */
	}
	return rc;
}

/* ---- samples by the counters ---- */

static int run_sampled(struct sd_measure_job *j, enum sd_run_kind kind, const char *why)
{
	const size_t point = sd_schedule_sampled_point(&j->record->plan);

	if (!sd_measure_budget_wants_samples(j, kind) ||
		!sd_measure_budget_fits(j, point, 0, sd_measure_budget_end(j)))
		return 0;
	snprintf(j->why, sizeof j->why, "%s", why);
	return sd_measure_run_once(j, point, kind, 0);
}

/* ---- experiments ---- */

static int keep(void *ctx, struct sd_run *run)
{
	struct sd_measure_job *j = ctx;
	j->shown.done++;
	return sd_measure_run_add(j, run);
}

/* One pair. 0 and *done; *done 0: a budget has no room for it. */
static int run_experiment(struct sd_measure_job *j, size_t index, size_t *done)
{
	const struct sd_measure *m = j->measure;
	struct sd_plan *plan = &j->record->plan;
	struct sd_experiments x;
	int rc;

	*done = 0;
	if (!m->experiments || index >= plan->n_experiment || plan->experiment[index].skipped)
		return 0;
	if (sd_measure_budget_end(j) > 0 &&
		!(sd_clock_s() + sd_measure_budget_pair(j, index) <= sd_measure_budget_end(j)))
		return 0;
	x = *m->experiments;
	x.keep = keep;
	x.keep_ctx = j;
	j->shown.cores = plan->point[plan->experiment[index].point].cores;
	j->shown.planned = j->shown.done + 2;
	j->left = fmax(sd_measure_budget_pair(j, index), sd_measure_budget_experiments(j, 0));
	j->spare = j->left;
	snprintf(j->why, sizeof j->why, "experiment %s",
		sd_experiment_info[plan->experiment[index].experiment].name);
	rc = sd_experiments_round(&x, &j->trial, plan, index, sd_measure_budget_end(j));
	*done = 1;
	return rc;
}

/* ---- one after the other ---- */

/* Finds the runs that the points of the next block need for this step: their first, what every one
 * gets, or more as well. Returns how many points; *worst as of sd_schedule_need(). */
static size_t find_need(struct sd_measure_job *j, const struct sd_step *step, double *worst)
{
	*worst = 0;
	if (step->kind != SD_STEP_RUNS)
		return sd_schedule_need_least(j->record, j->need);
	if (step->expects.look == SD_LOOK_WATCH)
		return sd_schedule_need_largest(j->record, j->need);
	return sd_schedule_need(j->record, &j->first, j->need, worst);
}

/*
 * A step after the first runs of every count: what was chosen, once it can be told whether runs can
 * be compared at all; else, where no experiment is left to do, the runs that every count gets in
 * any case. *ran 0: there is nothing more to do.
 */
static int take_step(struct sd_measure_job *j, unsigned *block, size_t *ran)
{
	struct sd_step step = {.kind = SD_STEP_RUNS, .experiment = SD_STEP_NONE};
	int rc = j->measure->choose ? j->measure->choose(j->measure->choose_ctx, j->record, &step)
				    : 0;
	double worst;
	int waits;

	*ran = 0;
	if (rc || step.kind == SD_STEP_ENOUGH)
		return rc;
	j->first = step.first;
	j->expects = step.kind == SD_STEP_END ? NULL : &step.expects;
	if (step.kind == SD_STEP_BURST) {
		const size_t before = j->record->n_run;

		rc = run_sampled(j, SD_RUN_MEMORY, "loads and stores");
		*ran = j->record->n_run - before;
		j->expects = NULL;
		if (rc || *ran)
			return rc;
	}
	waits = step.kind == SD_STEP_EXPERIMENT &&
		sd_experiments_lacks_reference(j->record, step.experiment);
	if (step.kind == SD_STEP_EXPERIMENT && !waits)
		rc = run_experiment(j, step.experiment, ran);
	/* what comes instead is due, or was not weighed */
	if (step.kind == SD_STEP_EXPERIMENT)
		j->expects = NULL;
	if (!rc && !*ran && find_need(j, &step, &worst)) {
		rc = sd_measure_rest(j, &step.rest, &step.expects.rested);
		rc = rc ? rc : run_block(j, ++*block, worst, ran);
	}
	j->expects = waits || step.kind == SD_STEP_RUNS ? &step.instead : NULL;
	if (!rc && !*ran && j->expects)
		rc = run_experiment(j, step.experiment, ran);
	j->expects = NULL;
	if (!rc && *ran)
		take_glance(j);
	return rc;
}

/* All steps that need no other kind of run: the first runs of every count, then one by one. */
static int take_steps(struct sd_measure_job *j)
{
	unsigned block = sd_schedule_block(j->record);
	size_t ran = 1, n = sd_schedule_need_first(j->record, j->need);
	/* an interrupted block may have nothing left to do: the next one decides */
	int rc = n ? run_block(j, block, 0, &ran) : 0;

	while (!rc && ran && sd_schedule_need_first(j->record, j->need)) {
		take_glance(j);
		rc = run_block(j, ++block, 0, &ran);
	}
	take_glance(j);
	for (ran = 1; !rc && ran;)
		rc = take_step(j, &block, &ran);
	return rc;
}

/* Has it all that comes before the last experiments? *rc: -errno of asking. */
static int is_finished(struct sd_measure_job *j, int *rc)
{
	struct sd_step step = {.kind = SD_STEP_RUNS};
	double worst;

	*rc = 0;
	for (size_t p = 0; p < j->record->plan.n_point; p++)
		if (sd_measure_budget_lacks_simulation(j->record, p))
			return 0;
	if (sd_measure_budget_wants_samples(j, SD_RUN_MEMORY) ||
		sd_measure_budget_wants_samples(j, SD_RUN_EVENTS) ||
		!sd_schedule_drift_done(j->record))
		return 0;
	if (j->measure->choose)
		*rc = j->measure->choose(j->measure->choose_ctx, j->record, &step);
	if (*rc || step.kind == SD_STEP_ENOUGH)
		return !*rc;
	return !sd_schedule_need_least(j->record, j->need) &&
	       !(step.kind == SD_STEP_RUNS &&
		       sd_schedule_need(j->record, &step.first, j->need, &worst) > 0);
}

static int carry_out_plan(struct sd_measure_job *j)
{
	int rc;

	if (is_finished(j, &rc) || rc)
		return rc;
	memset(j->need, 0, j->record->plan.n_point);
	rc = sd_measure_run_warm_up(j);
	if (!rc)
		rc = take_steps(j);
	if (!rc && sd_measure_budget_wants_drift(j) && !sd_schedule_drift_done(j->record) &&
		sd_measure_budget_fits(j, 0, 0, sd_measure_budget_end(j))) {
		snprintf(j->why, sizeof j->why, "drift check");
		rc = sd_measure_run_once(j, 0, SD_RUN_DRIFT, 0);
	}
	if (!rc)
		rc = run_sampled(j, SD_RUN_MEMORY, "loads and stores");
	if (!rc)
		rc = run_sampled(j, SD_RUN_EVENTS, "events by function");
	return rc ? rc : run_simulated(j);
}

/* Those that are still worth it; a plan without any is never asked. */
static int take_experiments(struct sd_measure_job *j)
{
	const struct sd_measure *const m = j->measure;
	struct sd_step step;
	size_t done = 1;
	int rc = 0;

	while (!rc && done && m->choose && m->experiments) {
		rc = m->choose(m->choose_ctx, j->record, &step);
		j->expects = step.kind == SD_STEP_EXPERIMENT ? &step.expects : NULL;
		if (!rc)
			rc = run_experiment(j, step.experiment, &done);
		j->expects = NULL;
		if (!rc && done)
			take_glance(j);
	}
	return rc;
}

static int carry_out(struct sd_measure_job *j)
{
	const int rc = carry_out_plan(j);

	/* what the drift, the samples and the simulations tell may open a cause again */
	return rc ? rc : take_experiments(j);
}

int sd_measure(const struct sd_measure *m, struct sd_record *record, const struct sd_sink *sink)
{
	struct sd_measure_job j = {.measure = m,
		.record = record,
		.sink = sink,
		.first = m->first,
		.begun = sd_clock_s()};
	int rc = -ENOMEM;

	j.own.path = m->record_path;
	j.save = m->save ? m->save : &j.own;
	j.shown.done = record->n_run;
	j.need = calloc(record->plan.n_point + 1, sizeof *j.need);
	j.order = calloc(record->plan.n_point + 1, sizeof *j.order);
	if (!j.need || !j.order)
		goto out;
	rc = sd_program_file_call(&record->program, &record->stacks);
	rc = rc ? rc : sd_trial_open(&j.trial, m, record, sink);
	rc = rc ? rc : sd_trial_environment_set(&j.trial, &record->program.set);
	if (rc)
		goto out;
	j.trial.stacks = &record->stacks;
	j.trial.progress = sd_measure_run_show;
	j.trial.progress_ctx = &j;
	/* before the first run: a record that cannot be written must not cost a run */
	record->complete = 0;
	rc = sd_record_save_write(j.save, record, sink);
	if (!rc)
		rc = carry_out(&j);
	if (!rc)
		rc = sd_measure_run_warn_elsewhere(&j);
	if (!rc) {
		record->complete = 1;
		rc = sd_record_save_write(j.save, record, sink);
	} else if (j.save->behind) {
		(void)sd_record_save_write(j.save, record, sink);
	}
out:
	sd_record_save_end(j.save);
	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
	sd_trial_close(&j.trial);
	free(j.glance);
	free(j.need);
	free(j.order);
	return rc;
}
