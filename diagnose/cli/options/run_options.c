#include "options/run_options.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "launch/environment.h"
#include "options/experiment_list.h"
#include "options/option_values.h"
#include "options/command_line.h"

#define QUICK_RUNS 2u /* a count: fewer have no interval */

struct parse {
	struct sd_command_line line; /* the first: what argp's parsers are given */
	struct sd_run_options *out;
	const char *cut; /* the first option given that --resume takes from its record, or NULL */
	int rc;          /* of the first option that was refused */
};

/*
 * Each option once. VALUE: its function sd_option_, name, short letter or 0, the value's name or
 * NULL; PLACE: its key, the kind and the field that it sets (command_line.h; words are in the order
 * of their enum, and weak is 1), the rest likewise. Both: group of --help, whether --resume takes
 * it from its record instead, what it does.
 */
#define OPTIONS(VALUE, PLACE)                                                                      \
	VALUE(cores, "cores", 0, "LIST", 1, 1,                                                     \
		"Core counts: 1,2,4,8 or 1-8 or powers (1, 2, 4, ... and all granted CPUs; the "   \
		"default) or all")                                                                 \
	VALUE(ranks, "ranks", 0, "LIST", 1, 1,                                                     \
		"Numbers of MPI ranks, 1,2,4,8: {ranks} in the launcher's arguments")              \
	VALUE(points, "points", 0, "POINTS", 1, 1,                                                 \
		"MPI ranks x threads @ nodes, 1x1,2x4,8x4@2: {ranks}, {threads} and {nodes}")      \
	PLACE(weak, FLAG, options.scaling, "weak", 0, NULL, 1, 1,                                  \
		"The work grows with the cores (weak scaling)")                                    \
	PLACE(place, CHOICE, options.placement, "place", 0, "compact|spread|smt", 1, 1,            \
		"Which CPUs; compact is the default")                                              \
	PLACE(oversubscribe, FLAG, options.oversubscribe, "oversubscribe", 0, NULL, 1, 1,          \
		"Also measure core counts larger than the number of available CPUs")               \
	VALUE(repeats, "repeats", 0, "RUNS", 2, 1,                                                 \
		"Runs per core count (default: adaptive, at least 5, until the efficiency is "     \
		"known to 2 %)")                                                                   \
	PLACE(quick, FLAG, options.quick, "quick", 0, NULL, 2, 1,                                  \
		"An answer in the time of five runs: two runs a count, 1 and all granted CPUs "    \
		"unless --cores says others, no experiments")                                      \
	VALUE(budget, "budget", 0, "SECONDS", 2, 0, "Total time limit: 90, 5m, 1h")                \
	VALUE(timeout, "timeout", 0, "SECONDS", 2, 0, "Abort if a single run takes longer")        \
	VALUE(seed, "seed", 0, "NUMBER", 2, 1, "Of the order of runs; else drawn afresh")          \
	VALUE(env, "env", 0, "NAME=VALUE", 3, 1,                                                   \
		"Set a variable for the program; {n} in it becomes the core count; may be "        \
		"repeated")                                                                        \
	PLACE(no_shield, FLAG, options.no_shield, "no-shield", 0, NULL, 3, 1,                      \
		"Give the program no precedence over other work on its CPUs; else its runs have "  \
		"it, as root or in a delegated cgroup")                                            \
	PLACE(no_env, FLAG, options.no_env, "no-env", 0, NULL, 3, 1,                               \
		"Do not set the variables listed below")                                           \
	VALUE(cwd, "cwd", 0, "FOLDER", 3, 1, "Run the program there")                              \
	VALUE(prepare, "prepare", 0, "COMMAND", 3, 1,                                              \
		"Run this before every run, not measured; split into words, no shell")             \
	VALUE(rate, "rate", 0, "REGEX", 3, 1,                                                      \
		"Take the throughput that the program prints instead of its time: an extended "    \
		"regular expression with a group around the number")                               \
	VALUE(region, "region", 0, "NAME", 3, 1,                                                   \
		"Judge that part of the program alone, which it marks itself: see scalediag help " \
		"regions")                                                                         \
	VALUE(latency, "latency", 0, "REGION", 3, 1,                                               \
		"Say what the slowest entries of that region, which the program marks around "     \
		"each request, did that typical ones did not: see scalediag help regions")         \
	PLACE(with_launch, FLAG, options.with_launch, "with-launch", 0, NULL, 3, 1,                \
		"Judge MPI programs with their launch, not from MPI_Init to MPI_Finalize")         \
	PLACE(ignore_failure, FLAG, options.ignore_failure, "ignore-failure", 0, NULL, 3, 1,       \
		"Runs that exit with another status than 0 count, too")                            \
	PLACE(no_omp_tool, FLAG, options.no_omp_tool, "no-omp-tool", 0, NULL, 3, 1,                \
		"Leave the OpenMP runtime alone: no table of its parallel regions")                \
	PLACE(show_output, FLAG, options.show_output, "show-output", 0, NULL, 3, 0,                \
		"Pass the program's output on")                                                    \
	PLACE(events, CHOICE, options.events, "events", 0, "auto|hw|all|os|sim|model", 4, 1,       \
		"Where counts come from: auto, hw (hardware counters, or fail), all (every "       \
		"counter that a metric uses, however many runs that takes, or fail), os (none), "  \
		"sim (also a software PMU, in one more run a count, which may be above the "       \
		"granted CPUs) or model (every run is one of a modelled machine, with its times "  \
		"and its counters)")                                                               \
	VALUE(machine, "machine", 0, "MACHINE", 4, 1,                                              \
		"What the software PMU models, which this turns on: host, core2-quad, "            \
		"skylake-sp, sapphire-rapids, epyc-genoa, graviton3, or a file like those of "     \
		"configs/machines")                                                                \
	VALUE(sim, "sim", 0, "WHAT", 4, 1,                                                         \
		"What of it is simulated, with commas between: from=SECONDS on, or "               \
		"from=@FUNCTION; for=SECONDS, for=@FUNCTION alone, for=10% of the "                \
		"instructions in parts all over the run, or for=all; repeats=RUNS a core "         \
		"count, so that check --require knows how far counts repeat. Else once, in "       \
		"parts once counts are known to 5 %")                                              \
	PLACE(multiplex, FLAG, options.multiplex, "multiplex", 0, NULL, 4, 1,                      \
		"Time-multiplex the hardware counters (fewer runs, less accurate); done by "       \
		"itself where a run is long enough")                                               \
	PLACE(system_calls, FLAG, options.system_calls, "system-calls", 0, NULL, 4, 1,             \
		"Also count system calls, for check --require (as root, or where "                 \
		"perf_event_paranoid is 1 or less and tracefs is readable); some 0.1 us each")     \
	PLACE(samples, CHOICE, options.no_samples, "samples", 0, "auto|none", 4, 1,                \
		"Samples and stacks of what runs and waits; auto is the default")                  \
	VALUE(experiments, "experiments", 0, "EXPERIMENTS", 4, 1,                                  \
		"The program with one thing changed: auto (those that can decide, in up to "       \
		"1.5 times the plain runs' time, or 20 s; the default), none, all, or a list of "  \
		"those below")                                                                     \
	PLACE(isolate, FLAG, options.isolate, "isolate", 0, NULL, 4, 0,                            \
		"Run concurrent copies in separate copies of the working directory")               \
	VALUE(output, "output", 'o', "RECORD", 5, 0,                                               \
		"Where the record goes; else PROGRAM.scalediag.json in the current folder")        \
	PLACE(json, FLAG, options.json, "json", 0, NULL, 5, 0, "Print the report as JSON")         \
	PLACE(brief, FLAG, options.brief, "brief", 0, NULL, 5, 0,                                  \
		"Print one JSON object of at most 4 KB: the answer, the causes, what to do next")  \
	VALUE(html, "html", 0, "FILE", 5, 0, "Write the report as a page for a browser, too")      \
	PLACE(dry_run, FLAG, options.dry_run, "dry-run", 0, NULL, 5, 0,                            \
		"Print the plan and run nothing")                                                  \
	PLACE(submit, FLAG, submit, "submit", 0, NULL, 5, 0,                                       \
		"Hand this to Slurm's sbatch as a job, as large as the largest point")             \
	VALUE(resume, "resume", 0, "RECORD", 5, 0,                                                 \
		"Go on with an interrupted record: program and plan are taken from it")            \
	PLACE(resume_anyway, FLAG, resume_anyway, "resume-anyway", 0, NULL, 5, 0,                  \
		"… also when the program was rebuilt since, or is given with other arguments")

#define OF_VALUE(id, name, letter, value, group, recorded, doc) KEY_##id,
#define OF_PLACE(id, kind, field, name, letter, value, group, recorded, doc) KEY_##id,
enum key {
	KEY_BELOW = 255,                              /* above every short letter */
	OPTIONS(OF_VALUE, OF_PLACE) KEY_keep_samples, /* the only one whose value may be left out */
};
#undef OF_VALUE
#undef OF_PLACE

#define OF_VALUE(id, name, letter, value, group, recorded, doc) \
	{(letter) ? (letter) : KEY_##id, recorded, name, sd_option_##id},
#define OF_PLACE(id, kind, field, name, letter, value, group, recorded, doc) \
	{KEY_##id, recorded, name, NULL},
static const struct action {
	int key, recorded;
	const char *name;
	int (*set)(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
} action[] = {
	OPTIONS(OF_VALUE, OF_PLACE){KEY_keep_samples, 0, "keep-samples", sd_option_keep_samples},
};
#undef OF_VALUE
#undef OF_PLACE

#define OF_VALUE(id, name, letter, value, group, recorded, doc) \
	{name, (letter) ? (letter) : KEY_##id, value, 0, doc, group},
#define OF_PLACE(id, kind, field, name, letter, value, group, recorded, doc) \
	{name, KEY_##id, value, 0, doc, group},
static const struct argp_option argp_options[] = {
	OPTIONS(OF_VALUE, OF_PLACE){"keep-samples", KEY_keep_samples, "FOLDER", OPTION_ARG_OPTIONAL,
		"Keep the raw samples of every run, in this folder; else beside the record", 4},
	{0},
};
#undef OF_VALUE
#undef OF_PLACE

#define OF_VALUE(id, name, letter, value, group, recorded, doc)
#define OF_PLACE(id, kind, field, name, letter, value, group, recorded, doc) \
	{KEY_##id, SD_OPTION_##kind, .at = offsetof(struct sd_run_options, field)},
static const struct sd_option_place places[] = {OPTIONS(OF_VALUE, OF_PLACE){0}};
#undef OF_VALUE
#undef OF_PLACE

#define REFUSE(p, ...) (sd_say((p)->line.sink, SD_LEVEL_ERROR, __VA_ARGS__), -EINVAL)

/* ---- the parser ----------------------------------------------------------------------------- */

static error_t take_program(struct argp_state *state, struct sd_options *o)
{
	/* argp has just stepped over the program's name; the rest is the program's */
	o->argv = state->argv + state->next - 1;
	o->argc = (size_t)state->argc - (size_t)state->next + 1;
	state->next = state->argc;
	return 0;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	struct parse *const p = state->input;

	if (key == ARGP_KEY_ARG)
		return take_program(state, &p->out->options);
	for (size_t i = 0; i < sizeof action / sizeof *action; i++) {
		if (action[i].key != key)
			continue;
		if (action[i].recorded && !p->cut)
			p->cut = action[i].name;
		if (!action[i].set)
			break;
		p->rc = action[i].set(p->out, value, p->line.sink);
		return -p->rc;
	}
	return sd_command_line_take(key, value, state);
}

const struct argp sd_run_options_argp = {
	.options = argp_options,
	.parser = handle,
	.args_doc = "PROGRAM [ARG...]",
	.doc = "Find out why a program doesn't scale: where each core's time goes, what causes it,\n"
	       "what each cause costs and how to fix it.\n"
	       "\n"
	       "  scalediag ./app                              at 1, 2, 4, ... and all CPUs\n"
	       "  scalediag --cores 1,2,8 -- ./app -t {n}      {n} becomes the core count\n"
	       "  scalediag --ranks 1,2,4 mpirun -n {ranks} ./solver    an MPI program\n"
	       "  scalediag --rate 'ops/s: ([0-9.]+)' ./bench  one that runs for a fixed time\n"
	       "  scalediag --resume app.scalediag.json        go on after an interruption\n"
	       "  scalediag report app.scalediag.json          the report once more\n",
	.children = sd_command_line_common,
};

/* A modelled machine has its own clock, and nothing of this one's. */
static int check_model(const struct parse *p)
{
	const struct sd_options *const o = &p->out->options;
	const struct {
		int given;
		const char *option;
	} against[] = {
		{o->resume, "resume"},
		{o->rate != NULL, "rate"},
		{o->shape != NULL, "ranks and --points"},
		{o->sim_from || o->sim_for || o->sim_repeats, "sim"},
		{o->experiments == SD_EXPERIMENTS_LIST, "experiments"},
	};

	for (size_t i = 0; i < sizeof against / sizeof *against; i++)
		if (against[i].given)
			return REFUSE(p,
				"--%s: not with --events model, whose times are those of the modelled machine",
				against[i].option);
	return 0;
}

/* Few runs that are all there is time for: nothing that asks for more of them, or for other ones.
 */
static int check_quick(const struct parse *p)
{
	const struct sd_options *const o = &p->out->options;
	const struct {
		int given;
		const char *option, *why;
	} against[] = {
		{o->repeats != 0, "repeats", "has two runs a count"},
		{p->out->has_budget, "budget", "takes the time of five runs"},
		{o->experiments == SD_EXPERIMENTS_LIST, "experiments", "makes none"},
		{o->events == SD_EVENTS_ALL && !o->multiplex, "events all",
			"has no runs for every counter: auto, hw, or all with --multiplex"},
		{o->events == SD_EVENTS_SIM, "events sim", "has no time for the software PMU"},
		{o->events == SD_EVENTS_MODEL, "events model",
			"is of this machine, not of a modelled one"},
	};

	for (size_t i = 0; i < sizeof against / sizeof *against; i++)
		if (against[i].given)
			return REFUSE(p, "--%s: not with --quick, which %s", against[i].option,
				against[i].why);
	return 0;
}

/* Checks what only the whole command line shows. */
static int check_together(const struct parse *p)
{
	const struct sd_options *const o = &p->out->options;

	if (p->out->asked)
		return 0;
	if (o->argc == 0 && !o->resume) {
		sd_say(p->line.sink, SD_LEVEL_ERROR,
			"no program given: scalediag [OPTION...] PROGRAM [ARG...]; see "
			"scalediag help");
		return -EINVAL;
	}
	if (o->argc > 0 && !*o->argv[0])
		return REFUSE(p, "the program's name is empty");
	if (o->resume && p->cut)
		return REFUSE(p,
			"--%s cannot be given with --resume, which takes it from the record",
			p->cut);
	if (p->out->resume_anyway && !o->resume)
		return REFUSE(p, "--resume-anyway: is for --resume, which is missing");
	if (o->multiplex && o->events == SD_EVENTS_OS)
		return REFUSE(p, "--multiplex: there is nothing to multiplex with --events os");
	if (o->quick && check_quick(p))
		return -EINVAL;
	if (o->events == SD_EVENTS_MODEL)
		return check_model(p);
	if (o->events != SD_EVENTS_SIM && (o->machine || p->out->sim)) {
		sd_say(p->line.sink, SD_LEVEL_ERROR,
			"--%s: is for the software PMU; not with --events hw, all or os",
			o->machine ? "machine" : "sim");
		return -EINVAL;
	}
	if (o->sim_from && o->sim_for && o->sim_from[0] == '@' && o->sim_for[0] == '@')
		return REFUSE(p, "--sim: one of from= and for= names the function, not both");
	if (o->sim_from && o->sim_for && strchr(o->sim_for, '%'))
		return REFUSE(p, "--sim: a share is of the whole run: leave from= out");
	if (o->region &&
		(o->rate || o->events == SD_EVENTS_SIM || o->experiments == SD_EXPERIMENTS_LIST))
		return REFUSE(p, "--region: %s, which is of the whole program",
			o->rate                      ? "not with --rate"
			: o->events == SD_EVENTS_SIM ? "not with --events sim"
						     : "not with --experiments");
	if (o->latency && (o->region || o->no_samples))
		return REFUSE(p, "--latency: not with %s",
			o->region ? "--region, which wants other marks of the program"
				  : "--samples none: they tell what a request did");
	if (o->dry_run && (o->json || o->brief))
		return REFUSE(
			p, "--%s: the plan of --dry-run is text only", o->json ? "json" : "brief");
	return 0;
}

int sd_run_options_parse(
	int argc, char **argv, struct sd_run_options *out, const struct sd_sink *sink)
{
	struct parse p = {.line = {.name = "run",
				  .argp = &sd_run_options_argp,
				  .place = places,
				  .into = out,
				  .sink = sink},
		.out = out};
	uint32_t seed = 1;
	error_t error;

	*out = (struct sd_run_options){.options = {.cores = SD_CORES_POWERS}};
	/* without a random source the order of runs is still a shuffle, only always the same */
	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed)
		out->options.seed = seed;
	else
		out->options.seed = 1;
	error = sd_command_line_parse(&p.line, ARGP_IN_ORDER, argc, argv);
	out->asked = p.line.asked;
	if (p.rc == -ENOMEM || error == ENOMEM) {
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
		return -ENOMEM;
	}
	/* what only the software PMU has asks for it */
	if (out->options.events == SD_EVENTS_AUTO && (out->options.machine || out->sim))
		out->options.events = SD_EVENTS_SIM;
	if (error || check_together(&p))
		return -EINVAL;
	/* which compare the times of whole programs */
	if (out->options.region || out->options.quick)
		out->options.experiments = SD_EXPERIMENTS_NONE;
	if (out->options.quick) {
		out->options.repeats = QUICK_RUNS;
		if (!out->has_cores && out->options.cores == SD_CORES_POWERS)
			out->options.cores = SD_CORES_ENDS;
	}
	return 0;
}

void sd_run_options_free(struct sd_run_options *a)
{
	sd_options_free(&a->options);
	free(a->recorded);
	free(a->sim);
	*a = (struct sd_run_options){0};
}

/* ---- --help --------------------------------------------------------------------------------- */

const struct sd_daily_option sd_run_options_daily[] = {
	{"cores", "core counts: 1,2,4,8 or 1-8; else powers of 2, all"},
	{"quick", "an answer in the time of five runs"},
	{"budget", "time for all of it: 90, 5m, 1h"},
	{"ranks", "numbers of MPI ranks; {ranks} stands for them"},
	{"rate", "judge the throughput it prints, not its time"},
	{"region", "judge one part of the program (help regions)"},
	{"env", "a variable for it, {n} being the core count"},
	{"experiments", "none, all or a list; else what can decide"},
	{"output", "the record; else PROGRAM.scalediag.json"},
	{"html", "the report as a page for a browser, too"},
	{0},
};

void sd_run_options_below(FILE *f, const struct sd_cli *cli)
{
	(void)cli;
	sd_experiment_list_help(f);
	fputs("\nVariables set to the core count for the program, unless --no-env:\n", f);
	for (size_t i = 0; i < sd_environment_variables; i++)
		fprintf(f, "  %-26s %s\n", sd_environment_variable[i].name,
			sd_environment_variable[i].reader);
	fputs("\n"
	      "Exit status: 0 diagnosed, 2 wrong usage, 3 the program failed or could not be "
	      "started, 4 could not measure; interrupted, it is 130 after Ctrl-C, 143 after "
	      "SIGTERM and 129 after SIGHUP (reports what is known; --resume goes on).\n",
		f);
}
