#include "measure/measure_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cgroup/cgroup.h"
#include "measure/measure_budget.h"
#include "plan/one_run.h"
#include "plan/schedule.h"
#include "record/probe_cost.h"
#include "record/record_file.h"

#define GOES_ON_RUNS 3u
#define LONG_S 5.0 /* a run this long is not weighed twice */

static void drop(struct sd_run *run)
{
	sd_binned_lanes_free(run->lanes);
	run->lanes = NULL;
}

/* Keeps the lanes of one of the point's runs, the one nearest to the point's median time: one is
 * enough to look at. A run that failed keeps none. */
static void keep_typical_lanes(struct sd_record *r, size_t point)
{
	const double median = sd_schedule_wall(r, point);
	struct sd_run *nearest = NULL;

	for (size_t i = 0; i < r->n_run; i++) {
		struct sd_run *const run = &r->run[i], *farther = run;

		if (run->point != point || !run->lanes)
			continue;
		if (sd_one_run_good(run) &&
			(!nearest ||
				fabs(run->metric[SD_METRIC_WALL].value - median) <
					fabs(nearest->metric[SD_METRIC_WALL].value - median))) {
			farther = nearest;
			nearest = run;
		}
		if (farther)
			drop(farther);
	}
}

void sd_measure_run_show(void *ctx, double seconds)
{
	struct sd_measure_job *j = ctx;
	const struct sd_measure *m = j->measure;

	if (!m->progress)
		return;
	j->shown.run_s = seconds;
	j->shown.elapsed_s = sd_clock_s() - j->begun;
	j->shown.left_s = j->left < 0 ? -1 : fmax(0, j->left - seconds);
	j->shown.spare_s = fmin(j->spare, fmax(0, j->shown.left_s));
	j->shown.why = j->why;
	j->shown.record = j->record;
	j->shown.glance = j->glance;
	m->progress(m->progress_ctx, &j->shown);
}

static void put_quota(struct sd_value v, char *out, size_t size)
{
	snprintf(out, size, v.status == SD_STATUS_ABSENT ? "none" : "not readable");
	if (sd_has(v))
		snprintf(out, size, "%.2f CPUs", v.value);
}

/* The record's host has the quota that the plan was made by. 0 or -ENOMEM. */
static int warn_quota(struct sd_measure_job *j)
{
	const struct sd_value was = j->record->host.quota, now = sd_cgroup_quota(NULL, 0);
	const size_t n = j->record->warnings.n;
	char before[32], after[32], text[320];
	int rc;

	put_quota(was, before, sizeof before);
	put_quota(now, after, sizeof after);
	if (!j->record->host.granted || strcmp(before, after) == 0)
		return 0;
	snprintf(text, sizeof text,
		"the CPU quota of this cgroup was changed meanwhile (%s when it was planned, %s "
		"after a run): runs before and after had different CPUs; leave cpu.max as it is, "
		"and measure again",
		before, after);
	rc = sd_texts_add_once(&j->record->warnings, text);
	if (j->record->warnings.n > n)
		sd_say(j->sink, SD_LEVEL_WARNING, "%s", text);
	return rc;
}

/* Adds the run to the record and its file. A failed simulation is recorded as missing; otherwise it
 * would read as one that found nothing. */
int sd_measure_run_add(struct sd_measure_job *j, struct sd_run *run)
{
	const struct sd_simulated *const s =
		run->kind == SD_RUN_SIMULATED && sd_one_run_good(run) ? run->simulated : NULL;
	const size_t point = run->point;
	const unsigned cores = j->record->plan.point[point].cores;
	int rc = 0;

	if (s && s->n_thread == 0 && s->processes == 0) {
		char text[400];

		snprintf(text, sizeof text, "%u simulated cores: %s", cores,
			s->why[0] ? s->why : "nothing was simulated");
		sd_say(j->sink, SD_LEVEL_WARNING, "%s", text);
		rc = sd_texts_add_once(&j->record->warnings, text);
	}
	rc = rc ? rc : warn_quota(j);
	if (!rc && j->expects) {
		run->choice = malloc(sizeof *run->choice);
		rc = run->choice ? 0 : -ENOMEM;
		if (!rc)
			*run->choice = *j->expects;
		j->expects = NULL;
	}
	if (!rc)
		rc = sd_record_add(j->record, run);
	if (rc) {
		sd_run_free(run);
		return rc;
	}
	keep_typical_lanes(j->record, point);
	j->trial.kept_at = sd_clock_s();
	return sd_record_save_run(j->save, j->record, j->sink);
}

/* A program that ends while its processes go on has left them its work: its time is not theirs.
 * Some do in one run, when a helper is late; all runs are no accident. */
static int check_goes_on(struct sd_measure_job *j, const struct sd_run *run)
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
static int check_elsewhere(struct sd_measure_job *j, const struct sd_run *run)
{
	const struct sd_cpulist *const cpus = &j->record->plan.point[run->point].cpus;
	struct sd_elsewhere *const e = &j->elsewhere;
	double busy = -1;

	if (j->measure->attach || j->measure->model ||
		(run->kind != SD_RUN_WARMUP && run->kind != SD_RUN_BLOCK) || e->neighbour ||
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
int sd_measure_run_warn_elsewhere(struct sd_measure_job *j)
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
int sd_measure_run_once(
	struct sd_measure_job *j, size_t point, enum sd_run_kind kind, unsigned block)
{
	struct sd_run run = {.point = point, .kind = kind, .block = block};
	struct sd_trial_change change = {0};
	const struct sd_run *kept;
	int rc;

	run.pass = sd_schedule_pass(j->record, &run, &j->first);
	j->shown.cores = j->record->plan.point[point].cores;
	sd_measure_budget_look_ahead(j);
	sd_measure_run_show(j, 0);
	change.timeout_s = kind == SD_RUN_SIMULATED ? sd_measure_budget_simulated(j) : 0;
	rc = sd_trial_run(&j->trial, &run, &change);
	if (rc)
		return rc;
	j->walls += sd_run_whole(&run).value;
	j->runs++;
	rc = sd_measure_run_add(j, &run);
	if (rc)
		return rc;
	j->shown.done++;
	kept = &j->record->run[j->record->n_run - 1];
	if (sd_one_run_good(kept) || kind == SD_RUN_SIMULATED)
		return !sd_one_run_good(kept)   ? -ECHILD
		       : check_goes_on(j, kept) ? -ENOTSUP
						: check_elsewhere(j, kept);
	sd_trial_say_failure(&j->trial, kept);
	return -ECHILD;
}

/* The passes may be others once it is known how long a run takes; those that were to come first
 * are none of them then. */
static int look_at_warm_up(struct sd_measure_job *j)
{
	const struct sd_measure *const m = j->measure;
	const size_t passes = j->record->plan.n_pass;
	int rc;

	if (!m->warmed || sd_schedule_block_begun(j->record))
		return 0;
	rc = m->warmed(m->warmed_ctx, j->record);
	if (rc || j->record->plan.n_pass == passes)
		return rc;
	j->first.n = 0;
	return sd_record_save_write(j->save, j->record, j->sink);
}

/* Flags of the probes whose cost is looked at: markers are needed where one of their regions is
 * judged, and those that the program makes itself cannot be left out. */
static unsigned probes_to_weigh(const struct sd_measure *m, const struct sd_run *warm_up)
{
	const unsigned may = sd_probe_cost_may(warm_up);

	return m->marker_library && !m->options->region ? may : may & ~(unsigned)SD_RUN_UNMARKED;
}

/* Runs with less of each probe that costs too much and cannot be left out. */
static int weigh_thinned(struct sd_measure_job *j, unsigned rounds)
{
	const unsigned out = sd_probe_cost_left_out(j->record);
	int rc = 0;

	for (unsigned k = 0; !rc && k < rounds * SD_PROBE_COSTS; k++) {
		j->trial.without = sd_probe_cost_row[k % SD_PROBE_COSTS].thinned & out;
		if (j->trial.without)
			rc = sd_measure_run_once(j, 0, SD_RUN_COST, 0);
	}
	return rc;
}

/* Runs with all probes and without each that may cost too much, by turns; the record then tells
 * what they cost and which are left out. */
static int weigh_probes(struct sd_measure_job *j, const struct sd_run *warm_up)
{
	const unsigned may = probes_to_weigh(j->measure, warm_up);
	const double end = sd_measure_budget_end(j), wall = sd_run_whole(warm_up).value;
	const unsigned rounds = wall < LONG_S ? SD_PROBE_COST_ROUNDS : 1;
	const unsigned runs = rounds * (1 + (unsigned)__builtin_popcount(may));
	int rc = 0;

	if (!may || j->record->plan.quick || (end > 0 && runs * wall > (end - sd_clock_s()) / 4))
		return 0;
	snprintf(j->why, sizeof j->why, "cost of measuring");
	for (unsigned k = 0; !rc && k < rounds * (1 + SD_PROBE_COSTS); k++) {
		const unsigned i = k % (1 + SD_PROBE_COSTS);

		j->trial.without = i ? sd_probe_cost_row[i - 1].flag & may : 0;
		if (!i || j->trial.without)
			rc = sd_measure_run_once(j, 0, SD_RUN_COST, 0);
	}
	return rc ? rc : weigh_thinned(j, rounds);
}

int sd_measure_run_warm_up(struct sd_measure_job *j)
{
	int rc;

	if (j->measure->attach || j->measure->model)
		return 0;
	snprintf(j->why, sizeof j->why, "warm-up");
	rc = sd_measure_run_once(j, 0, SD_RUN_WARMUP, 0);
	if (!rc && !sd_schedule_block_begun(j->record))
		rc = weigh_probes(j, &j->record->run[j->record->n_run - 1]);
	return rc ? rc : look_at_warm_up(j);
}
