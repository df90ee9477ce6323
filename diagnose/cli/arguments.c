#include "arguments.h"

#include <argp.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "command.h"
#include "cores.h"
#include "environment.h"
#include "experiment.h"
#include "experimenting.h"
#include "number.h"
#include "values.h"

struct parse {
	struct sd_arguments *out;
	const struct sd_sink *sink;
	const char *cut; /* the first option given that --resume takes from its record, or NULL */
	int rc;          /* of the first option that was refused */
};

static int refuse(const struct parse *p, const char *option, const char *value, const char *allowed)
{
	sd_say(p->sink, SD_LEVEL_ERROR, "--%s '%s': %s", option, value, allowed);
	return -EINVAL;
}

/* ---- one function an option: what its value must be ------------------------------------------ */

static int set_cores(struct parse *p, const char *v)
{
	return sd_cores_parse(v, &p->out->options, p->sink);
}

static int set_weak(struct parse *p, const char *v)
{
	(void)v;
	p->out->options.scaling = SD_SCALING_WEAK;
	return 0;
}

static int set_place(struct parse *p, const char *v)
{
	static const char *const name[] = {[SD_PLACEMENT_COMPACT] = "compact",
		[SD_PLACEMENT_SPREAD] = "spread",
		[SD_PLACEMENT_SMT] = "smt"};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (strcmp(v, name[i]) == 0) {
			p->out->options.placement = (enum sd_placement)i;
			return 0;
		}
	return refuse(p, "place", v, "must be compact, spread or smt");
}

static int set_repeats(struct parse *p, const char *v)
{
	uint64_t n;

	if (sd_number_u64(v, 1, 10000, &n) < 0)
		return refuse(p, "repeats", v, "must be a whole number of runs from 1 to 10000");
	p->out->options.repeats = (unsigned)n;
	return 0;
}

static int set_seconds(struct parse *p, const char *option, const char *v, double *out)
{
	if (sd_number_double(v, 0.001, 1e8, out) < 0)
		return refuse(p, option, v, "must be a number of seconds from 0.001 to 1e8");
	return 0;
}

static int set_budget(struct parse *p, const char *v)
{
	p->out->has_budget = 1;
	return set_seconds(p, "budget", v, &p->out->options.budget_s);
}

static int set_timeout(struct parse *p, const char *v)
{
	p->out->has_timeout = 1;
	return set_seconds(p, "timeout", v, &p->out->options.timeout_s);
}

static int set_env(struct parse *p, const char *v)
{
	static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	struct sd_options *const o = &p->out->options;
	char **env;

	if (!*v || !strchr(first, *v) ||
		v[strspn(v, "0123456789"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "abcdefghijklmnopqrstuvwxyz_")] != '=')
		return refuse(p, "env", v,
			"must be NAME=VALUE, the name of letters, digits and _, not beginning with "
			"a digit");
	env = reallocarray(o->env, o->n_env + 1, sizeof *env);
	if (!env)
		return -ENOMEM;
	o->env = env;
	/* main's own string, which argp made const on the way here */
	memcpy(&o->env[o->n_env++], &v, sizeof v);
	return 0;
}

static int set_no_env(struct parse *p, const char *v)
{
	(void)v;
	p->out->options.no_env = 1;
	return 0;
}

static int set_cwd(struct parse *p, const char *v)
{
	struct stat st;

	if (stat(v, &st) < 0)
		return refuse(p, "cwd", v, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return refuse(p, "cwd", v, "must be a folder");
	p->out->options.cwd = v;
	return 0;
}

static int set_prepare(struct parse *p, const char *v)
{
	if (!v[strspn(v, " \t\n")])
		return refuse(p, "prepare", v, "must be a command");
	p->out->options.prepare = v;
	return 0;
}

static int set_rate(struct parse *p, const char *v)
{
	regex_t re;
	char why[256];
	const int rc = regcomp(&re, v, REG_EXTENDED | REG_NEWLINE);

	if (rc != 0) {
		regerror(rc, &re, why, sizeof why);
		return refuse(p, "rate", v, why);
	}
	if (re.re_nsub < 1) {
		regfree(&re);
		return refuse(p, "rate", v,
			"must have a group around the number, such as 'ops/s: ([0-9.]+)'");
	}
	regfree(&re);
	p->out->options.rate = v;
	return 0;
}

static int set_output(struct parse *p, const char *v)
{
	if (!*v || v[strlen(v) - 1] == '/')
		return refuse(p, "output", v, "must be the name of a file");
	p->out->options.record = v;
	return 0;
}

static int set_json(struct parse *p, const char *v)
{
	(void)v;
	p->out->options.json = 1;
	return 0;
}

static int set_html(struct parse *p, const char *v)
{
	if (!*v || v[strlen(v) - 1] == '/')
		return refuse(p, "html", v, "must be the name of a file");
	p->out->options.html = v;
	return 0;
}

static int set_show_output(struct parse *p, const char *v)
{
	(void)v;
	p->out->options.show_output = 1;
	return 0;
}

static int set_dry_run(struct parse *p, const char *v)
{
	(void)v;
	p->out->options.dry_run = 1;
	return 0;
}

static int set_resume(struct parse *p, const char *v)
{
	p->out->options.resume = 1;
	return set_output(p, v);
}

static int set_oversubscribe(struct parse *p, const char *v)
{
	(void)v;
	p->out->options.oversubscribe = 1;
	return 0;
}

static int set_seed(struct parse *p, const char *v)
{
	if (sd_number_u64(v, 0, UINT32_MAX, &p->out->options.seed) < 0)
		return refuse(p, "seed", v, "must be a whole number from 0 to 4294967295");
	return 0;
}

static int set_events(struct parse *p, const char *v)
{
	static const char *const name[] = {[SD_EVENTS_AUTO] = "auto",
		[SD_EVENTS_HW] = "hw",
		[SD_EVENTS_OS] = "os",
		[SD_EVENTS_SIM] = "sim"};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (strcmp(v, name[i]) == 0) {
			p->out->options.events = (enum sd_events)i;
			return 0;
		}
	return refuse(p, "events", v, "must be auto, hw, os or sim");
}

static int set_machine(struct parse *p, const char *v)
{
	if (!*v || strlen(v) > 4000)
		return refuse(p, "machine", v, "must be host, the name of a machine, or a file");
	p->out->options.machine = v;
	return 0;
}

/* Seconds of the emulated run, or a function: a name that the plugin's options can carry. */
static int set_region(struct parse *p, const char *option, const char *v, const char **out)
{
	double s;

	if (v[0] == '@' ? !v[1] || strlen(v) > 255 || strpbrk(v, ",= \t\n") != NULL
			: sd_number_double(v, 0, 1e8, &s) < 0)
		return refuse(p, option, v,
			"must be a number of seconds from 0 to 1e8, or @ and the name of a "
			"function");
	*out = v;
	return 0;
}

static int set_sim_from(struct parse *p, const char *v)
{
	return set_region(p, "sim-from", v, &p->out->options.sim_from);
}

static int set_sim_for(struct parse *p, const char *v)
{
	return set_region(p, "sim-for", v, &p->out->options.sim_for);
}

static int set_multiplex(struct parse *p, const char *v)
{
	(void)v;
	p->out->options.multiplex = 1;
	return 0;
}

static int set_samples(struct parse *p, const char *v)
{
	if (strcmp(v, "auto") != 0 && strcmp(v, "none") != 0)
		return refuse(p, "samples", v, "must be auto or none");
	p->out->options.no_samples = strcmp(v, "none") == 0;
	return 0;
}

static int set_keep_samples(struct parse *p, const char *v)
{
	if (v && !*v)
		return refuse(p, "keep-samples", v, "must be the name of a folder");
	p->out->options.keep_samples = 1;
	p->out->options.keep_folder = v;
	return 0;
}

/* auto, none, all, or names with commas between them. */
static int set_experiments(struct parse *p, const char *v)
{
	struct sd_options *const o = &p->out->options;
	char known[512] = "", *list, *rest = NULL;
	int rc = 0;

	o->experiment = 0;
	o->experiments = strcmp(v, "auto") == 0   ? SD_EXPERIMENTS_AUTO
			 : strcmp(v, "none") == 0 ? SD_EXPERIMENTS_NONE
						  : SD_EXPERIMENTS_LIST;
	if (o->experiments != SD_EXPERIMENTS_LIST)
		return 0;
	if (strcmp(v, "all") == 0) {
		o->experiment = (1ul << SD_EXPERIMENT_COUNT) - 1;
		return 0;
	}
	list = strdup(v);
	if (!list)
		return -ENOMEM;
	for (const char *name = strtok_r(list, ",", &rest); name;
		name = strtok_r(NULL, ",", &rest)) {
		enum sd_experiment e;

		rc = sd_experiment_parse(name, &e);
		if (rc)
			break;
		o->experiment |= 1ul << e;
	}
	free(list);
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		snprintf(known + strlen(known), sizeof known - strlen(known), ", %s",
			sd_experiment_info[i].name);
	if (rc || !o->experiment) {
		sd_say(p->sink, SD_LEVEL_ERROR,
			"--experiments '%s': must be auto, none, all or a list of%s", v, known + 1);
		return -EINVAL;
	}
	return 0;
}

static int set_isolate(struct parse *p, const char *v)
{
	(void)v;
	p->out->options.isolate = 1;
	return 0;
}

static int set_help(struct parse *p, const char *v)
{
	(void)v;
	p->out->help = 1;
	return 0;
}

static int set_version(struct parse *p, const char *v)
{
	(void)v;
	p->out->version = 1;
	return 0;
}

/*
 * Each option once: name, short letter or 0, value or NULL, group of --help, whether --resume takes
 * it from its record instead, what it does.
 */
#define OPTIONS(X)                                                                               \
	X(cores, "cores", 0, "LIST", 1, 1,                                                       \
		"Core counts: 1,2,4,8 or 1-8 or powers (1, 2, 4, ... and all granted CPUs; the " \
		"default) or all")                                                               \
	X(weak, "weak", 0, NULL, 1, 1, "The work grows with the cores (weak scaling)")           \
	X(place, "place", 0, "HOW", 1, 1, "Which CPUs: compact (the default), spread or smt")    \
	X(oversubscribe, "oversubscribe", 0, NULL, 1, 1,                                         \
		"Run counts above the granted CPUs too, instead of leaving them out")            \
	X(repeats, "repeats", 0, "RUNS", 2, 1,                                                   \
		"Runs a core count; else 5, or 10 of less than 2 s, and more until the "         \
		"efficiency is known to 2 %")                                                    \
	X(budget, "budget", 0, "SECONDS", 2, 0, "End after about this time")                     \
	X(timeout, "timeout", 0, "SECONDS", 2, 0, "End a run, and fail, after this time")        \
	X(seed, "seed", 0, "NUMBER", 2, 1, "Of the order of runs; else drawn afresh")            \
	X(env, "env", 0, "NAME=VALUE", 3, 1,                                                     \
		"Set a variable for the program; {n} in it becomes the core count; may be "      \
		"repeated")                                                                      \
	X(no_env, "no-env", 0, NULL, 3, 1, "Do not set the variables listed below")              \
	X(cwd, "cwd", 0, "FOLDER", 3, 1, "Run the program there")                                \
	X(prepare, "prepare", 0, "COMMAND", 3, 1,                                                \
		"Run this before every run, not measured; split into words, no shell")           \
	X(rate, "rate", 0, "REGEX", 3, 1,                                                        \
		"Take the throughput that the program prints instead of its time: an extended "  \
		"regular expression with a group around the number")                             \
	X(show_output, "show-output", 0, NULL, 3, 0, "Pass the program's output on")             \
	X(events, "events", 0, "SOURCE", 4, 1,                                                   \
		"Where counts come from: auto, hw (hardware counters, or fail), os (none) or "   \
		"sim (also a software PMU, in one more run a count, which may be above the "     \
		"granted CPUs)")                                                                 \
	X(machine, "machine", 0, "NAME", 4, 1,                                                   \
		"What the software PMU models: host (the default), core2-quad, skylake-sp, "     \
		"sapphire-rapids, epyc-genoa, graviton3, or a file like those of "               \
		"configs/machines")                                                              \
	X(sim_from, "sim-from", 0, "WHERE", 4, 1,                                                \
		"Simulate from so many seconds of the emulated run on, or only while @function " \
		"runs")                                                                          \
	X(sim_for, "sim-for", 0, "LENGTH", 4, 1,                                                 \
		"Simulate no longer than so many seconds, or only while @function runs")         \
	X(multiplex, "multiplex", 0, NULL, 4, 1,                                                 \
		"All hardware events in every run, the counters taking turns: fewer runs, less " \
		"certain")                                                                       \
	X(samples, "samples", 0, "WHICH", 4, 0,                                                  \
		"Samples and stacks of what runs and waits: auto or none")                       \
	X(experiments, "experiments", 0, "WHICH", 4, 1,                                          \
		"The program with one thing changed: auto (those that can decide, in up to "     \
		"1.5 times the plain runs' time; the default), none, all, or a list of those "   \
		"below")                                                                         \
	X(isolate, "isolate", 0, NULL, 4, 0,                                                     \
		"Copies that run at once get folders of their own, with the files of the "       \
		"program's")                                                                     \
	X(output, "output", 'o', "RECORD", 5, 0,                                                 \
		"Where the record goes; else PROGRAM.scalediag.json in the current folder")      \
	X(json, "json", 0, NULL, 5, 0, "Print the report as JSON")                               \
	X(html, "html", 0, "FILE", 5, 0, "Write the report as a page for a browser, too")        \
	X(dry_run, "dry-run", 0, NULL, 5, 0, "Print the plan and run nothing")                   \
	X(resume, "resume", 0, "RECORD", 5, 0,                                                   \
		"Go on with an interrupted record: program and plan are taken from it")          \
	X(help, "help", 'h', NULL, 6, 0, "Print this")                                           \
	X(version, "version", 'V', NULL, 6, 0, "Print the version")

enum key {
	KEY_BELOW = 255, /* above every short letter */
#define X(id, name, letter, value, group, recorded, doc) KEY_##id,
	OPTIONS(X)
#undef X
		KEY_keep_samples, /* the only one whose value may be left out */
};

static const struct action {
	int key, recorded;
	const char *name;
	int (*set)(struct parse *p, const char *value);
} action[] = {
#define X(id, name, letter, value, group, recorded, doc) \
	{(letter) ? (letter) : KEY_##id, recorded, name, set_##id},
	OPTIONS(X)
#undef X
		{KEY_keep_samples, 0, "keep-samples", set_keep_samples},
};

static const struct argp_option argp_options[] = {
#define X(id, name, letter, value, group, recorded, doc) \
	{name, (letter) ? (letter) : KEY_##id, value, 0, doc, group},
	OPTIONS(X)
#undef X
		{"keep-samples", KEY_keep_samples, "FOLDER", OPTION_ARG_OPTIONAL,
			"Keep the raw samples of every run, in this folder; else "
			"beside the record",
			4},
	{0},
};

/* ---- the parser
 * ------------------------------------------------------------------------------ */

static error_t take_program(struct argp_state *state, struct sd_options *o)
{
	/* argp has just stepped over the program's name; the rest is the program's
	 */
	o->argv = state->argv + state->next - 1;
	o->argc = (size_t)state->argc - (size_t)state->next + 1;
	state->next = state->argc;
	return 0;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	struct parse *const p = state->input;

	if (key == ARGP_KEY_INIT)
		return sd_values_begin(state);
	if (key == ARGP_KEY_ARG)
		return take_program(state, &p->out->options);
	for (size_t i = 0; i < sizeof action / sizeof *action; i++) {
		if (action[i].key != key)
			continue;
		if (action[i].recorded && !p->cut)
			p->cut = action[i].name;
		p->rc = action[i].set(p, value);
		return -p->rc;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {.options = argp_options, .parser = handle};

/* What only the whole command line shows. */
static int check_together(const struct parse *p)
{
	const struct sd_options *const o = &p->out->options;

	if (p->out->help || p->out->version)
		return 0;
	if (o->argc == 0 && !o->resume) {
		sd_say(p->sink, SD_LEVEL_ERROR,
			"no program given: scalediag [OPTION...] PROGRAM [ARG...]; "
			"see scalediag "
			"--help");
		return -EINVAL;
	}
	if (o->argc > 0 && !*o->argv[0]) {
		sd_say(p->sink, SD_LEVEL_ERROR, "the program's name is empty");
		return -EINVAL;
	}
	if (o->resume && p->cut) {
		sd_say(p->sink, SD_LEVEL_ERROR,
			"--%s cannot be given with --resume, which takes it from "
			"the record",
			p->cut);
		return -EINVAL;
	}
	if (o->multiplex && o->events == SD_EVENTS_OS) {
		sd_say(p->sink, SD_LEVEL_ERROR,
			"--multiplex: there is nothing to multiplex with --events "
			"os");
		return -EINVAL;
	}
	if (o->events != SD_EVENTS_SIM && (o->machine || o->sim_from || o->sim_for)) {
		sd_say(p->sink, SD_LEVEL_ERROR, "--%s: is for the software PMU; add --events sim",
			o->machine    ? "machine"
			: o->sim_from ? "sim-from"
				      : "sim-for");
		return -EINVAL;
	}
	if (o->sim_from && o->sim_for && o->sim_from[0] == '@' && o->sim_for[0] == '@') {
		sd_say(p->sink, SD_LEVEL_ERROR,
			"--sim-from and --sim-for: one of them names the function, not both");
		return -EINVAL;
	}
	if (o->dry_run && o->json) {
		sd_say(p->sink, SD_LEVEL_ERROR, "--json: the plan of --dry-run is text only");
		return -EINVAL;
	}
	return 0;
}

int sd_arguments_parse(int argc, char **argv, struct sd_arguments *out, const struct sd_sink *sink)
{
	struct parse p = {.out = out, .sink = sink};
	uint32_t seed = 1;
	error_t error;

	*out = (struct sd_arguments){.options = {.cores = SD_CORES_POWERS}};
	/* without a random source the order of runs is still a shuffle, only always
	 * the same */
	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed)
		out->options.seed = seed;
	else
		out->options.seed = 1;
	error = argp_parse(
		&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &p);
	if (p.rc == -ENOMEM || error == ENOMEM) {
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
		return -ENOMEM;
	}
	return error ? -EINVAL : check_together(&p);
}

void sd_arguments_free(struct sd_arguments *a)
{
	sd_options_free(&a->options);
	free(a->recorded);
	*a = (struct sd_arguments){0};
}

/* ---- --help
 * ----------------------------------------------------------------------------------
 */

void sd_arguments_help(FILE *f)
{
	char name[] = "scalediag";

	fputs("scalediag says why a program does not get faster with more cores: "
	      "where every core\n"
	      "went, which causes there are, what each costs, and what it could "
	      "not find out.\n"
	      "\n"
	      "  scalediag ./app                              at 1, 2, 4, ... and "
	      "all granted "
	      "CPUs\n"
	      "  scalediag --cores 1,2,8 -- ./app -t {n}      {n} becomes the core "
	      "count\n"
	      "  scalediag --rate 'ops/s: ([0-9.]+)' ./bench  a benchmark that "
	      "runs for a fixed "
	      "time\n"
	      "  scalediag --resume app.scalediag.json        go on after an "
	      "interruption\n"
	      "  scalediag report app.scalediag.json          the report again, "
	      "without running\n"
	      "\n"
	      "Commands:\n",
		f);
	for (size_t i = 0; i < sd_command_count; i++)
		fprintf(f, "  %-10s %s\n", sd_commands[i].name, sd_commands[i].summary);
	fputs("A program that has the name of a command: scalediag run NAME.\n"
	      "\n"
	      "Options of run, before the program:\n",
		f);
	argp_help(&argp, f, ARGP_HELP_LONG, name);
	sd_experimenting_help(f);
	fputs("\nVariables set to the core count for the program, unless "
	      "--no-env:\n",
		f);
	for (size_t i = 0; i < sd_environment_variables; i++)
		fprintf(f, "  %-26s %s\n", sd_environment_variable[i].name,
			sd_environment_variable[i].reader);
	fputs("\n"
	      "Exit status: 0 diagnosed, 2 wrong usage, 3 the program failed or "
	      "could not be "
	      "started,\n"
	      "4 could not measure, 130 interrupted (the record keeps every "
	      "finished run).\n",
		f);
}
