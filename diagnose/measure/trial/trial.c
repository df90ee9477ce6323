#include "trial/trial.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/environment.h"
#include "plan/measurement.h"
#include "probe/diagnosis_cache.h"
#include "probe/accountant.h"
#include "launch/launch.h"
#include "launch/program_output.h"
#include "parts/rank_parts.h"
#include "record/probe_cost.h"
#include "record/record_names.h"
#include "plan/one_run.h"
#include "launch/command_words.h"
#include "trial/judged_part.h"
#include "witness/witness.h"

/* Base names of what is preloaded into every run; the kernel shows files by their own paths. */
#define PRELOADS 3
struct preloads {
	char *path[PRELOADS];
	const char *name[PRELOADS + 1];
};

static void preloads_find(const struct sd_trial *t, const struct sd_run *run, struct preloads *p)
{
	const char *const library[] = {sd_trial_library(t, run, SD_RUN_UNTRACED),
		sd_trial_library(t, run, SD_RUN_UNLOGGED),
		sd_trial_library(t, run, SD_RUN_UNMARKED)};
	size_t n = 0;

	*p = (struct preloads){0};
	for (size_t i = 0; i < PRELOADS; i++)
		if (library[i] && (p->path[i] = realpath(library[i], NULL)))
			p->name[n++] = strrchr(p->path[i], '/') + 1;
}

static void preloads_free(struct preloads *p)
{
	for (size_t i = 0; i < PRELOADS; i++)
		free(p->path[i]);
}

/* sd_launch(); sets SD_RUN_UNLOADED when the process with most CPU time was seen without one of
 * them. Nobody looks where none is preloaded, or where l->look is somebody else's. */
static int preloads_launch(const struct sd_trial *t, struct sd_launch *l, struct sd_run *run)
{
	struct preloads preloads;
	struct sd_witness w = {.ask = {.signs = SD_PROCESS_SIGN_LIBRARY}};
	const struct sd_launch others = *l;
	char why[200];
	int rc;

	preloads_find(t, run, &preloads);
	w.ask.library = preloads.name;
	if (!l->look && preloads.name[0]) {
		l->look = sd_witness_look;
		l->look_ctx = &w;
	}
	rc = sd_launch(l, run, t->sink);
	if (!rc && l->look_ctx == &w &&
		sd_witness_judge(&w, run->metric[SD_METRIC_USER].value, why, sizeof why) ==
			SD_WITNESSED_NOT)
		run->flags |= SD_RUN_UNLOADED;
	l->look = others.look;
	l->look_ctx = others.look_ctx;
	sd_witness_free(&w);
	preloads_free(&preloads);
	return rc;
}

char *sd_trial_beside(const struct sd_trial *t, const char *what)
{
	return sd_record_names_beside(t->measure->record_path, what);
}

char *sd_trial_beside_absolute(const struct sd_trial *t, const char *what)
{
	return sd_record_names_absolute(t->measure->record_path, what);
}

int sd_trial_open(struct sd_trial *t, const struct sd_measure *m, const struct sd_record *record,
	const struct sd_sink *sink)
{
	const struct sd_options *o = m->options;
	int rc = 0;

	*t = (struct sd_trial){
		.measure = m, .record = record, .sink = sink, .kept_at = sd_clock_s()};
	t->stdout_path = sd_record_names_beside(m->record_path, "out");
	t->stderr_path = sd_record_names_beside(m->record_path, "err");
	t->prepare_stdout_path = sd_record_names_beside(m->record_path, "prepare.out");
	t->prepare_stderr_path = sd_record_names_beside(m->record_path, "prepare.err");
	t->simulation_path = sd_record_names_absolute(m->record_path, "sim");
	t->mpi_folder = sd_record_names_absolute(m->record_path, "ranks");
	t->log_folder = sd_record_names_absolute(m->record_path, "regions");
	t->markers = sd_record_names_absolute(m->record_path, "markers");
	t->kept = calloc(1, sizeof *t->kept);
	t->held = calloc(1, sizeof *t->held);
	t->line = calloc(1, sizeof *t->line);
	if (!t->kept || !t->held || !t->line || !t->simulation_path || !t->mpi_folder ||
		!t->markers || !t->log_folder || !t->stdout_path || !t->stderr_path ||
		!t->prepare_stdout_path || !t->prepare_stderr_path)
		rc = -ENOMEM;
	if (!rc && o->prepare)
		rc = sd_command_words_split(o->prepare, "--prepare", &t->prepare, sink);
	if (!rc && o->rate) {
		rc = sd_printed_rate_open(&t->rate, o->rate, sink);
		t->has_rate = !rc;
	}
	if (!rc && !o->no_shield)
		(void)sd_shield_open(&t->shield); /* without it others may disturb: that is seen */
	if (rc)
		sd_trial_close(t);
	return rc;
}

void sd_trial_close(struct sd_trial *t)
{
	sd_shield_close(&t->shield);
	if (t->has_rate)
		sd_printed_rate_close(&t->rate);
	sd_command_words_free(t->prepare);
	free(t->stdout_path);
	free(t->stderr_path);
	free(t->prepare_stdout_path);
	free(t->prepare_stderr_path);
	free(t->simulation_path);
	free(t->mpi_folder);
	free(t->markers);
	free(t->log_folder);
	sd_diagnosis_cache_free(t->kept);
	free(t->kept);
	if (t->held)
		sd_held_cpus_close(t->held);
	free(t->held);
	free(t->line);
	*t = (struct sd_trial){0};
}

static const char *count_of(unsigned cores)
{
	return cores == 1 ? "core" : "cores";
}

int sd_trial_prepare(const struct sd_trial *t, char *const *envp, unsigned cores)
{
	const struct sd_options *o = t->measure->options;
	struct sd_launch l = {.envp = envp,
		.cwd = o->cwd,
		.timeout_s = o->timeout_s,
		.stdout_path = t->prepare_stdout_path,
		.stderr_path = t->prepare_stderr_path,
		.stop = t->measure->stop};
	struct sd_run run = {0};
	char **argv = NULL, printed[2 * PATH_MAX];
	int rc;

	if (!t->prepare)
		return 0;
	rc = sd_environment_argv(t->prepare, cores, NULL, &argv);
	l.argv = argv;
	if (!rc)
		rc = sd_launch(&l, &run, t->sink);
	if (rc == -ENOEXEC)
		rc = -ECANCELED;
	if (!rc && !(run.end == SD_END_EXITED && run.code == 0)) {
		sd_program_output_describe(
			t->prepare_stdout_path, t->prepare_stderr_path, printed, sizeof printed);
		sd_say(t->sink, SD_LEVEL_ERROR, "--prepare %s %s %d before %u %s; %s", argv[0],
			run.end == SD_END_EXITED      ? "ended with status"
			: run.end == SD_END_SIGNALLED ? "was killed by signal"
						      : "timed out, killed by signal",
			run.code, cores, count_of(cores), printed);
		rc = -ECANCELED;
	}
	sd_run_free(&run);
	sd_command_words_free(argv);
	return rc;
}

/* Duration of the last run of this point, s; 0 unknown. */
static double expected(const struct sd_record *r, size_t point)
{
	for (size_t i = r->n_run; i > 0; i--)
		if (r->run[i - 1].point == point && r->run[i - 1].kind <= SD_RUN_DRIFT &&
			sd_has(sd_run_whole(&r->run[i - 1])))
			return sd_run_whole(&r->run[i - 1]).value;
	return 0;
}

/* Highest rate of context switches of any run of this point, 1/s; 0 unknown. */
static double most_switches(const struct sd_record *r, size_t point)
{
	double most = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_value *const m = r->run[i].metric;

		if (r->run[i].point == point && r->run[i].kind <= SD_RUN_DRIFT &&
			sd_has(m[SD_METRIC_WALL]) && sd_has(m[SD_METRIC_VOLUNTARY_SWITCHES]) &&
			m[SD_METRIC_WALL].value > 0)
			most = fmax(most,
				m[SD_METRIC_VOLUNTARY_SWITCHES].value / m[SD_METRIC_WALL].value);
	}
	return most;
}

/* Merges what was measured on other nodes; `rc`: of the launch. The folder's end tells those that
 * still run there to end. */
static int take_parts(const struct sd_trial *t, struct sd_run *run, int rc)
{
	if (rc || !sd_run_ended_well(run))
		sd_trial_say_first_death(t, rc == -EINTR);
	if (!rc)
		rc = sd_rank_parts_merge(t->mpi_folder, run, t->stacks, t->sink);
	sd_rank_parts_remove(t->mpi_folder);
	rmdir(t->mpi_folder);
	return rc;
}

static int launch_once(const struct sd_trial *t, struct sd_run *run, char *const *argv,
	char *const *envp, const struct sd_trial_change *change)
{
	const struct sd_options *o = t->measure->options;
	const struct sd_plan_point *p = &t->record->plan.point[run->point];
	const struct sd_memsource *const sampled = run->kind == SD_RUN_MEMORY   ? t->measure->memory
						   : run->kind == SD_RUN_EVENTS ? t->measure->events
										: NULL;
	const unsigned without = sd_trial_without(t, run);
	struct sd_launch l = {.argv = argv,
		.envp = envp,
		.cwd = o->cwd,
		.cpus = change->cpus ? change->cpus : &p->cpus,
		.cores = sd_plan_stack_cores(p),
		.lane_steps = run->kind == SD_RUN_BLOCK
				      ? sd_binned_lanes_most(run->point, t->record->plan.n_point)
				      : 0,
		.timeout_s = change->timeout_s > 0 ? change->timeout_s : o->timeout_s,
		.any_status = o->ignore_failure,
		.tune = change->tune,
		.held = t->held,
		.shield = &t->shield,
		.poll_s = o->poll_s,
		.stdout_path = t->stdout_path,
		.stderr_path = t->stderr_path,
		.show_output = o->show_output,
		.probes = t->measure->probes,
		/* such samples need the counters, and the run's time is not used */
		.counting = sampled || without & SD_RUN_UNCOUNTED ? NULL : t->measure->counting,
		.memory = sampled,
		.mpi_folder = sd_trial_library(t, run, SD_RUN_UNTRACED) ? t->mpi_folder : NULL,
		.log_folder =
			sd_trial_library(t, run, SD_RUN_UNLOGGED) || sd_trial_asks_heap(t, run)
				? t->log_folder
				: NULL,
		.markers = t->markers,
		.region = o->region,
		.pass = run->pass,
		.os_only = without & SD_RUN_UNCOUNTED ? 2 : t->measure->os_only,
		.system_calls = o->system_calls,
		.accountant = &sd_accountant_rules,
		.stacks = t->stacks,
		.kept = t->kept,
		.trees = t->measure->trees,
		/* copies are not sampled, so what they are compared with is not, either */
		.no_samples = o->no_samples || sampled || without & SD_PROBE_COST_UNSAMPLED ||
			      (run->kind == SD_RUN_EXPERIMENT && !change->sampled),
		.thin = without & SD_RUN_THINNED ? sd_probe_cost_thin(t->record) : 1,
		.expect_s = expected(t->record, run->point),
		.expect_switches = most_switches(t->record, run->point),
		.stop = t->measure->stop,
		.progress = t->progress,
		.progress_ctx = t->progress_ctx,
		.look = change->look,
		.look_ctx = change->ctx};
	struct sd_value before;
	char *keep;
	int kept = 0, rc = sd_trial_keep_samples(t, &keep);

	if (!rc && l.mpi_folder)
		rc = sd_trial_make_folder(t, t->mpi_folder, 1, "the ranks' logs");
	if (!rc && l.log_folder)
		rc = sd_trial_make_folder(t, t->log_folder, 1, "the logs of preloaded libraries");
	if (rc) {
		free(keep);
		return rc;
	}
	before = sd_trial_line_before(t);
	l.keep_samples = keep;
	l.keep_error = &kept;
	rc = preloads_launch(t, &l, run);
	if (l.mpi_folder)
		rc = take_parts(t, run, rc);
	if (l.log_folder)
		rmdir(t->log_folder);
	if (!rc)
		sd_judged_part(o, run);
	if (!rc && run->native)
		sd_trial_note_heap(t, run);
	if (!rc && keep && kept)
		sd_say(t->sink, SD_LEVEL_WARNING,
			"%s: the raw samples could not be kept (--keep-samples): %s", keep,
			strerror(-kept));
	free(keep);
	if (rc)
		return rc;
	run->flags |= without & ~SD_PROBE_COST_UNSAMPLED;
	run->metric[SD_METRIC_LINE_BEFORE] = before;
	run->metric[SD_METRIC_LINE_AFTER] = sd_trial_line(t);
	/* a state lasts seconds, a disturbed reading a millisecond: read twice */
	if (sd_one_run_mixed(run))
		run->metric[SD_METRIC_LINE_AFTER] = sd_trial_line(t);
	return 0;
}

static int take_rate(const struct sd_trial *t, struct sd_run *run)
{
	char text[64];
	double value = 0;
	int rc;

	if (!t->has_rate || !sd_one_run_good(run))
		return 0;
	rc = sd_printed_rate_read(&t->rate, t->stdout_path, &value, text, sizeof text);
	if (!rc)
		run->metric[SD_METRIC_RATE] = SD_OK(value);
	else if (rc == -ENODATA || rc == -ERANGE)
		run->end = SD_END_RATE_MISSING;
	else
		sd_say(t->sink, SD_LEVEL_ERROR, "cannot read %s back: %s", t->stdout_path,
			strerror(-rc));
	return rc == -ENODATA || rc == -ERANGE ? 0 : rc;
}

/* A run across a change of the machine's state is kept, and says so: another one would cost as much
 * and be as likely to meet the next change. */
static int make_run(const struct sd_trial *t, struct sd_run *run, char *const *argv,
	char *const *envp, const struct sd_trial_change *change)
{
	const unsigned cores = t->record->plan.point[run->point].cores;
	const int simulated = run->kind == SD_RUN_SIMULATED || t->measure->model;
	int rc = sd_trial_prepare(t, envp, cores);

	if (!rc && change->before)
		rc = change->before(change->ctx);
	if (!rc)
		rc = t->measure->attach
			     ? sd_trial_look(t, run, most_switches(t->record, run->point))
		     : simulated ? sd_trial_simulated(t, run, argv, envp, change)
				 : launch_once(t, run, argv, envp, change);
	if (rc || simulated)
		return rc;
	rc = take_rate(t, run);
	if (!rc && sd_one_run_good(run) && sd_one_run_mixed(run))
		run->flags |= SD_RUN_MIXED;
	return rc;
}

int sd_trial_run(const struct sd_trial *t, struct sd_run *run, const struct sd_trial_change *change)
{
	const struct sd_options *o = t->measure->options;
	const struct sd_plan_point *const p = &t->record->plan.point[run->point];
	char **argv = NULL, **envp = NULL;
	int rc = sd_environment_argv(o->argv, p->cores, sd_trial_shape(p), &argv);

	*run = (struct sd_run){
		.point = run->point, .kind = run->kind, .block = run->block, .pass = run->pass};
	if (!rc && change->under)
		rc = sd_command_words_prepend(&argv, change->under);
	if (!rc)
		rc = sd_trial_environment(t, run, &envp);
	for (size_t i = 0; i < change->n_variable && !rc; i++)
		rc = sd_environment_set(&envp, change->variable[i].name, change->variable[i].value,
			change->variable[i].join);
	if (!rc)
		rc = make_run(t, run, argv, envp, change);
	if (rc)
		sd_run_free(run);
	sd_command_words_free(argv);
	sd_command_words_free(envp);
	return rc;
}
