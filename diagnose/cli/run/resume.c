#include "run/resume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "launch/program_file.h"

#define ANYWAY "start afresh without --resume, or go on all the same with --resume-anyway"

static int differs(const struct sd_sink *sink, const char *what, const char *then, const char *now)
{
	sd_say(sink, SD_LEVEL_ERROR,
		"--resume: %s differs: '%s' in the record, '%s' now; start afresh without --resume",
		what, then, now);
	return -EINVAL;
}

static int warn(struct sd_record *record, const char *text, const struct sd_sink *sink)
{
	sd_say(sink, SD_LEVEL_WARNING, "--resume-anyway: %s", text);
	return sd_texts_add_once(&record->warnings, text);
}

/* The words given now are those of all further runs. */
static int take_arguments(
	struct sd_record *record, const struct sd_options *o, const struct sd_sink *sink)
{
	struct sd_texts *const argv = &record->program.argv;

	sd_texts_free(argv);
	for (size_t i = 0; i < o->argc; i++)
		if (sd_texts_add(argv, "%s", o->argv[i]) < 0)
			return -ENOMEM;
	return warn(record,
		"the program's arguments were changed before its last runs: this record mixes "
		"two measurements",
		sink);
}

/* The program may be given again, but then it is the same. */
static int check_program(
	struct sd_record *record, const struct sd_run_options *a, const struct sd_sink *sink)
{
	const struct sd_texts *const argv = &record->program.argv;
	const struct sd_options *const o = &a->options;

	if (o->argc == 0)
		return 0;
	for (size_t i = 0; i < argv->n || i < o->argc; i++) {
		const char *const then = i < argv->n ? argv->text[i] : "";
		const char *const now = i < o->argc ? o->argv[i] : "";

		if (i < argv->n && i < o->argc && strcmp(then, now) == 0)
			continue;
		if (a->resume_anyway)
			return take_arguments(record, o, sink);
		sd_say(sink, SD_LEVEL_ERROR,
			"--resume: %s differs: '%s' in the record, '%s' now; " ANYWAY,
			i ? "an argument of the program" : "the program", then, now);
		return -EINVAL;
	}
	return 0;
}

int sd_resume_check_build(struct sd_record *record, const struct sd_program_file *now,
	const struct sd_run_options *a, const struct sd_sink *sink)
{
	struct sd_program *const p = &record->program;
	char how[192];
	int rc = 0;

	switch (sd_program_file_differs(&p->file, now, how, sizeof how)) {
	case 0:
		return 0;
	case 1:
		if (!a->resume_anyway) {
			sd_say(sink, SD_LEVEL_ERROR,
				"--resume: %s is another build than the record was measured with (%s); " ANYWAY,
				p->argv.text[0], how);
			return -EINVAL;
		}
		rc = warn(record,
			"the program was rebuilt before its last runs: this record mixes two builds",
			sink);
		break;
	default:
		sd_say(sink, SD_LEVEL_NOTE,
			"--resume: whether %s is still the build that the record was measured with is not known",
			p->argv.text[0]);
	}
	p->file = *now;
	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
	return rc;
}

static int check_machine(
	const struct sd_record *record, const struct sd_topology *t, const struct sd_sink *sink)
{
	if (strcmp(record->host.cpu, t->cpu_model) != 0)
		return differs(sink, "the CPU model", record->host.cpu, t->cpu_model);
	for (size_t i = 0; i < record->plan.n_point; i++) {
		const struct sd_cpulist *const cpus = &record->plan.point[i].cpus;

		for (size_t j = 0; j < cpus->n; j++) {
			size_t k = 0;

			while (k < t->n_pu && t->pu[k].os != cpus->cpu[j])
				k++;
			if (k < t->n_pu)
				continue;
			sd_say(sink, SD_LEVEL_ERROR,
				"--resume: the plan uses CPU %u, which is not granted now; start "
				"afresh without --resume",
				cpus->cpu[j]);
			return -EINVAL;
		}
	}
	return 0;
}

/* As main would have given it: with a NULL at its end. */
static int adopt_argv(const struct sd_program *p, struct sd_run_options *a)
{
	a->recorded = calloc(p->argv.n + 1, sizeof *a->recorded);
	if (!a->recorded)
		return -ENOMEM;
	memcpy(a->recorded, p->argv.text, p->argv.n * sizeof *a->recorded);
	a->options.argv = a->recorded;
	a->options.argc = p->argv.n;
	return 0;
}

static int adopt_env(const struct sd_program *p, struct sd_options *o)
{
	o->env = p->env.n ? calloc(p->env.n, sizeof *o->env) : NULL;
	if (p->env.n && !o->env)
		return -ENOMEM;
	for (size_t i = 0; i < p->env.n; i++)
		o->env[o->n_env++] = p->env.text[i];
	return 0;
}

int sd_resume_adopt(struct sd_record *record, const struct sd_topology *t, struct sd_run_options *a,
	const struct sd_sink *sink)
{
	struct sd_program *const p = &record->program;
	struct sd_options *const o = &a->options;
	int rc = check_program(record, a, sink);

	if (rc == 0 && p->argv.n == 0) {
		sd_say(sink, SD_LEVEL_ERROR, "--resume: the record names no program");
		rc = -EINVAL;
	}
	if (rc == 0 && record->plan.simulation && record->plan.simulation->whole) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--resume: its runs are those of a modelled machine (--events model), "
			"which are not gone on with: start afresh");
		rc = -EINVAL;
	}
	/* to start it would be another one, beside that which runs */
	if (rc == 0 && p->attached) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--resume: %s ran already when it was looked at, and is not started: "
			"scalediag attach looks at it again",
			p->attached);
		rc = -EINVAL;
	}
	if (rc == 0)
		rc = check_machine(record, t, sink);
	if (rc == 0)
		rc = adopt_argv(p, a);
	if (rc == 0)
		rc = adopt_env(p, o);
	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
	if (rc < 0)
		return rc;
	o->cwd = p->cwd;
	o->rate = p->rate;
	o->region = p->region;
	o->latency = p->latency;
	o->with_launch = p->with_launch;
	o->ignore_failure = p->ignore_failure;
	o->no_omp_tool = p->no_omp_tool;
	o->system_calls = p->system_calls;
	o->prepare = p->prepare;
	o->no_env = p->no_env;
	o->scaling = p->scaling;
	o->placement = p->placement;
	o->repeats = record->plan.min_repeats;
	o->quick = record->plan.quick;
	o->seed = record->plan.seed;
	o->no_samples = record->plan.no_samples;
	o->no_shield = record->plan.no_shield;
	if (a->has_timeout)
		p->timeout_s = o->timeout_s;
	o->timeout_s = p->timeout_s;
	if (a->has_budget)
		record->plan.budget_s = o->budget_s;
	o->budget_s = record->plan.budget_s;
	return 0;
}

size_t sd_resume_say_begin(
	const char *path, const struct sd_record *record, const struct sd_sink *sink)
{
	const size_t n = record->n_run;

	if (record->complete)
		return n;
	sd_say(sink, SD_LEVEL_NOTE, "%s: going on after %zu run%s", path, n, n == 1 ? "" : "s");
	return 0;
}

void sd_resume_say_end(const char *path, const struct sd_record *record, size_t finished,
	const struct sd_sink *sink)
{
	const size_t more = record->n_run - finished;

	if (more)
		sd_say(sink, SD_LEVEL_NOTE, "%s: %zu more run%s, after the %zu that it had", path,
			more, more == 1 ? "" : "s", finished);
	else
		sd_say(sink, SD_LEVEL_NOTE,
			"%s: nothing is left to measure: this is the report of its %zu runs", path,
			finished);
}
