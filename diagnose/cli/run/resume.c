#include "run/resume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int differs(const struct sd_sink *sink, const char *what, const char *then, const char *now)
{
	sd_say(sink, SD_LEVEL_ERROR,
		"--resume: %s differs: '%s' in the record, '%s' now; start afresh without --resume",
		what, then, now);
	return -EINVAL;
}

/* The program may be given again, but then it is the same. */
static int check_program(
	const struct sd_program *p, const struct sd_options *o, const struct sd_sink *sink)
{
	if (o->argc == 0)
		return 0;
	for (size_t i = 0; i < p->argv.n || i < o->argc; i++) {
		const char *const then = i < p->argv.n ? p->argv.text[i] : "";
		const char *const now = i < o->argc ? o->argv[i] : "";

		if (i >= p->argv.n || i >= o->argc || strcmp(then, now) != 0)
			return differs(
				sink, i ? "an argument of the program" : "the program", then, now);
	}
	return 0;
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
	int rc = check_program(p, o, sink);

	if (rc == 0 && p->argv.n == 0) {
		sd_say(sink, SD_LEVEL_ERROR, "--resume: the record names no program");
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
	o->prepare = p->prepare;
	o->no_env = p->no_env;
	o->scaling = p->scaling;
	o->placement = p->placement;
	o->repeats = record->plan.min_repeats;
	o->seed = record->plan.seed;
	if (a->has_timeout)
		p->timeout_s = o->timeout_s;
	o->timeout_s = p->timeout_s;
	if (a->has_budget)
		record->plan.budget_s = o->budget_s;
	o->budget_s = record->plan.budget_s;
	return 0;
}
