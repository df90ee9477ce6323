/*
 * The environment of a run: the user's, thread counts, and what our libraries are told by.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/command_words.h"
#include "launch/environment.h"
#include "parts/rank_environment.h"
#include "trial/heap_question.h"
#include "trial/trial.h"
#include "record/probe_cost.h"

const struct sd_rank_shape *sd_trial_shape(const struct sd_plan_point *p)
{
	return p->shape.ranks ? &p->shape : NULL;
}

unsigned sd_trial_without(const struct sd_trial *t, const struct sd_run *run)
{
	return run->kind == SD_RUN_COST ? t->without : sd_probe_cost_left_out(t->record);
}

/* MPI's library still tells when ranks begin and end where that is what is judged. */
static unsigned launches(const struct sd_options *o)
{
	return o->region || o->with_launch ? 0 : SD_RUN_UNTRACED;
}

const char *sd_trial_library(
	const struct sd_trial *t, const struct sd_run *run, enum sd_run_flag flag)
{
	const struct sd_measure *const m = t->measure;

	if (sd_trial_without(t, run) & (unsigned)flag & ~launches(m->options))
		return NULL;
	return flag == SD_RUN_UNLOGGED   ? m->omp_library
	       : flag == SD_RUN_UNMARKED ? m->marker_library
					 : m->mpi_library;
}

/* Tells the program where it notes its regions: those that it marks, and OpenMP's. */
static int set_regions(const struct sd_trial *t, const struct sd_run *run, char ***envp)
{
	/* where Kokkos and ITT look for a tool, and of which groups it is told */
	static const struct {
		const char *name, *groups;
	} look_for[] = {
		{"KOKKOS_TOOLS_LIBS", NULL}, {"INTEL_LIBITTNOTIFY64", "INTEL_ITTNOTIFY_GROUPS"}};
	const struct sd_options *const o = t->measure->options;
	const char *const omp = sd_trial_library(t, run, SD_RUN_UNLOGGED),
			  *const markers = sd_trial_library(t, run, SD_RUN_UNMARKED);
	int rc = sd_environment_set(envp, "SCALEDIAG_MARKERS", t->markers, 0);

	if (!rc && o->region)
		rc = sd_environment_set(envp, "SCALEDIAG_REGION", o->region, 0);
	if (!rc && o->latency) { /* each entry of it, see scalediag.h */
		char watched[SD_REGION_NAME + 1];

		snprintf(watched, sizeof watched, "*%s", o->latency);
		rc = sd_environment_set(envp, "SCALEDIAG_REGION", watched, 0);
	}
	if (!rc && markers)
		rc = sd_environment_set(envp, "LD_PRELOAD", markers, 1);
	for (size_t i = 0; markers && i < sizeof look_for / sizeof *look_for && !rc; i++) {
		/* the user's own tool, by --env or from our environment, stays */
		if (sd_environment_value(*envp, look_for[i].name))
			continue;
		rc = sd_environment_set(envp, look_for[i].name, markers, 0);
		if (!rc && look_for[i].groups && !sd_environment_value(*envp, look_for[i].groups))
			rc = sd_environment_set(envp, look_for[i].groups, "all", 0);
	}
	if (!rc && omp)
		rc = sd_environment_set(envp, "LD_PRELOAD", omp, 1);
	if (!rc && omp)
		rc = sd_environment_set(envp, "SCALEDIAG_OMP_FOLDER", t->log_folder, 0);
	return rc;
}

static int set_ranks(const struct sd_trial *t, const struct sd_run *run, char ***envp)
{
	const struct sd_plan_point *const p = &t->record->plan.point[run->point];
	const struct sd_options *const o = t->measure->options;
	const struct sd_rank_environment ranks = {.argv = o->argv,
		.library = sd_trial_library(t, run, SD_RUN_UNTRACED),
		.folder = t->mpi_folder,
		.threads = sd_trial_shape(p) ? p->shape.threads : p->cores,
		.no_samples = o->no_samples,
		.no_calls = (sd_trial_without(t, run) & SD_RUN_UNTRACED) != 0};

	return ranks.library ? sd_rank_environment_set(envp, &ranks) : 0;
}

/* Tells the library of the heap, in a run that asks for its blocks, where its log goes. */
static int set_heap(const struct sd_trial *t, const struct sd_run *run, char ***envp)
{
	int rc;

	if (!sd_trial_asks_heap(t, run))
		return 0;
	rc = sd_environment_set(envp, "LD_PRELOAD", t->measure->heap_library, 1);
	return rc ? rc : sd_environment_set(envp, "SCALEDIAG_HEAP_FOLDER", t->log_folder, 0);
}

int sd_trial_asks_heap(const struct sd_trial *t, const struct sd_run *run)
{
	return t->measure->heap_library && !t->measure->options->no_samples &&
	       sd_heap_question_is_due(t->record, run);
}

void sd_trial_note_heap(const struct sd_trial *t, struct sd_run *run)
{
	run->native->heap_asked = sd_trial_asks_heap(t, run);
	if (t->measure->heap_refused && sd_heap_question_is_due(t->record, run))
		snprintf(run->native->heap_why, sizeof run->native->heap_why, "%s",
			t->measure->heap_refused);
}

int sd_trial_environment(const struct sd_trial *t, const struct sd_run *run, char ***envp)
{
	const struct sd_plan_point *const p = &t->record->plan.point[run->point];
	int rc = sd_environment_envp(
		environ, t->measure->options, p->cores, sd_trial_shape(p), envp);

	if (!rc && run->kind != SD_RUN_SIMULATED)
		rc = set_ranks(t, run, envp);
	if (!rc && run->kind != SD_RUN_SIMULATED)
		rc = set_regions(t, run, envp);
	return rc ? rc : set_heap(t, run, envp);
}

/* Is it of our own environment, or of --env as the user gave it? */
static int is_users(const struct sd_options *o, const char *entry)
{
	const size_t name = strcspn(entry, "=");

	for (size_t i = 0; environ[i]; i++)
		if (strcmp(environ[i], entry) == 0)
			return 1;
	for (size_t i = 0; i < o->n_env; i++)
		if (strncmp(o->env[i], entry, name + 1) == 0 &&
			(strchr(o->env[i], '{') || strcmp(o->env[i], entry) == 0))
			return 1;
	return 0;
}

/* One that is set to the count. */
static int is_count(const char *entry)
{
	for (size_t i = 0; i < sd_environment_variables; i++) {
		const char *const name = sd_environment_variable[i].name;

		if (strncmp(entry, name, strlen(name)) == 0 && entry[strlen(name)] == '=')
			return 1;
	}
	return 0;
}

int sd_trial_environment_set(const struct sd_trial *t, struct sd_texts *out)
{
	const struct sd_run first = {.kind = SD_RUN_BLOCK};
	char **envp = NULL;
	int rc = 0;

	sd_texts_free(out);
	if (!t->measure->attach)
		rc = sd_trial_environment(t, &first, &envp);
	for (size_t i = 0; envp && envp[i] && !rc; i++)
		if (is_count(envp[i]) && !t->measure->options->no_env)
			rc = sd_texts_add(out, "%.*s={%s}", (int)strcspn(envp[i], "="), envp[i],
				sd_trial_shape(&t->record->plan.point[0]) ? "threads" : "n");
		else if (!is_users(t->measure->options, envp[i]))
			rc = sd_texts_add(out, "%s", envp[i]);
	sd_command_words_free(envp);
	return rc;
}
