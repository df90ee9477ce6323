#include "options/attach_options.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <sys/random.h>

#include "options/common_values.h"
#include "options/core_list.h"

#define WINDOW_S 10.0
#define MOST_S 86400.0
#define PARTS 5u       /* of a look: what differs among them is the uncertainty of it */
#define PARTS_MOST 15u /* where the length of the look was not given */

enum key {
	KEY_CGROUP = 256,
	KEY_UNIT,
	KEY_CONTAINER,
	KEY_CORES,
	KEY_PLACE,
	KEY_REPEATS,
	KEY_BUDGET,
	KEY_RATE_COMMAND,
	KEY_RATE,
	KEY_RATE_FUNCTION,
	KEY_PROGRESS,
	KEY_LATENCY,
	KEY_SAMPLES,
	KEY_WINDOW,
};

static error_t take_name(const struct sd_command_line *l, enum sd_attach_by by, const char *name)
{
	struct sd_attach_options *const o = l->into;

	if (o->name) {
		sd_say(l->sink, SD_LEVEL_ERROR,
			"'%s': one program at a time: a PID, --cgroup, --systemd-unit or "
			"--container",
			name);
		return EINVAL;
	}
	o->by = by;
	o->name = name;
	return 0;
}

static error_t take_cores(const struct sd_command_line *l, const char *value)
{
	struct sd_attach_options *const o = l->into;
	const int rc = sd_core_list_parse(value, &o->run, "cores", l->sink);

	o->scales = 1;
	return rc == -ENOMEM ? ENOMEM : rc ? EINVAL : 0;
}

#define AT(field) .at = offsetof(struct sd_attach_options, field)
static const struct sd_option_place places[] = {
	{KEY_WINDOW, SD_OPTION_SECONDS, AT(window_s), .5, MOST_S},
	{KEY_SAMPLES, SD_OPTION_CHOICE, AT(run.no_samples)},
	{KEY_LATENCY, SD_OPTION_TEXT, AT(latency)},
	{'o', SD_OPTION_TEXT, AT(run.record)},
	{SD_KEY_JSON, SD_OPTION_FLAG, AT(run.json)},
	{SD_KEY_BRIEF, SD_OPTION_FLAG, AT(run.brief)},
	{SD_KEY_HTML, SD_OPTION_TEXT, AT(run.html)},
	/* how --cores measures */
	{KEY_PLACE, SD_OPTION_CHOICE, AT(run.placement)}, /* as enum sd_placement */
	{KEY_REPEATS, SD_OPTION_NUMBER, AT(run.repeats), 1, 1000},
	{KEY_BUDGET, SD_OPTION_SECONDS, AT(run.budget_s), 1, MOST_S},
	{KEY_RATE_COMMAND, SD_OPTION_TEXT, AT(rate_command)},
	{KEY_RATE, SD_OPTION_TEXT, AT(run.rate)},
	{KEY_RATE_FUNCTION, SD_OPTION_TEXT, AT(rate_function)},
	{KEY_PROGRESS, SD_OPTION_TEXT, AT(progress)},
	{0},
};

static error_t handle(int key, char *value, struct argp_state *state)
{
	const struct sd_command_line *const l = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		return take_name(l, SD_ATTACH_PID, value);
	case KEY_CGROUP:
		return take_name(l, SD_ATTACH_CGROUP, value);
	case KEY_UNIT:
		return take_name(l, SD_ATTACH_UNIT, value);
	case KEY_CONTAINER:
		return take_name(l, SD_ATTACH_CONTAINER, value);
	case KEY_CORES:
		return take_cores(l, value);
	default:
		return sd_command_line_take(key, value, state);
	}
}

static const struct argp_option options[] = {
	{"cgroup", KEY_CGROUP, "PATH", 0,
		"All that is in this cgroup: a folder, or a path as in /proc/PID/cgroup", 1},
	{"systemd-unit", KEY_UNIT, "NAME", 0, "All processes of the unit, as nginx.service", 1},
	{"container", KEY_CONTAINER, "ID", 0,
		"All processes of the container: its id, or the first six digits of it or more", 1},
	{"window", KEY_WINDOW, "SECONDS", 0,
		"Look so long, in five parts; else in parts of 2 s, until more of them would not "
		"change the answer, 30 s at most",
		2},
	{"cores", KEY_CORES, "LIST", 0,
		"Change its CPUs, and put them back: throughput at 1,2,4 or 1-4 or powers or all; "
		"each count is looked at for a fifth of --window (2 s) at a time, in randomised "
		"order, until more would not change the answer",
		3},
	{"rate-command", KEY_RATE_COMMAND, "COMMAND", 0,
		"Prints a number that grows with the work done, as 'redis-cli info stats'; split "
		"into words, no shell",
		3},
	{"rate", KEY_RATE, "REGEX", 0,
		"Finds the number in what the command prints: an extended regular expression with "
		"a group around it; else the last number",
		3},
	{"rate-function", KEY_RATE_FUNCTION, "SYMBOL", 0,
		"Work done is calls of this function (root; 1 to 6 us a call)", 3},
	{"progress", KEY_PROGRESS, "NAME", 0,
		"Work done is what the program reports by that name with scalediag.h", 3},
	{"place", KEY_PLACE, "compact|spread|smt", 0, "Which CPUs; compact is the default", 3},
	{"repeats", KEY_REPEATS, "PARTS", 0,
		"Looks at each count; else 5, and more until the efficiency is known to 2 %", 3},
	{"budget", KEY_BUDGET, "SECONDS", 0, "End after about this time", 3},
	{"samples", KEY_SAMPLES, "auto|none", 0,
		"Samples and stacks of what runs and waits; auto is the default", 2},
	{"latency", KEY_LATENCY, "REGION", 0,
		"Tell what 99 % of its requests took at most, before, meanwhile and after: the "
		"region that it marks around each with scalediag.h",
		2},
	{"output", 'o', "RECORD", 0,
		"Where the record goes; else PROGRAM.scalediag.json in the current folder", 5},
	{"json", SD_KEY_JSON, NULL, 0, "Print the report as JSON", 5},
	SD_OPTION_BRIEF(5),
	{"html", SD_KEY_HTML, "FILE", 0, "Write the report as a page for a browser, too", 5},
	{0},
};

const struct argp sd_attach_options_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "PID",
	.doc = "scalediag attach looks at a program that runs already, without restarting it or "
	       "changing\nanything of it: where its cores go, the stacks that run and wait, its "
	       "locks, its lines of code.\n"
	       "With --cores it changes its CPUs, and tells how its throughput scales.\n"
	       "\n"
	       "  scalediag attach 4711\n"
	       "  scalediag attach --window 30 --systemd-unit nginx\n"
	       "  scalediag attach 4711 --cores 1,2,4 --rate-command './served --total'\n"
	       "\n"
	       "PID stands for the process and its descendants. Root (or CAP_PERFMON and "
	       "CAP_SYS_PTRACE) sees\nsamples and every context switch; without, thread states "
	       "alone are followed. --cores\nneeds to be root or the program's user: it sets the affinity of "
	       "every thread, and puts back what\neach had, at the end and when scalediag is "
	       "killed. What a program read of its CPUs when it\nstarted (its number of threads) "
	       "does not follow.\n\v"
	       "Exit status: 0 done, 2 wrong usage, 3 there is no such program or it has ended, 4 "
	       "could not measure.\n",
	.children = sd_command_line_common,
};

/* Checks which options go together. */
static int check(const struct sd_attach_options *o, const struct sd_sink *sink)
{
	const int rates =
		(o->rate_command != NULL) + (o->rate_function != NULL) + (o->progress != NULL);
	const char *why = NULL;

	if (o->asked)
		return 0;
	if (!o->name)
		why = "which program? Give its PID, or --cgroup, --systemd-unit or --container";
	else if (rates > 1)
		why = "--rate-command, --rate-function, --progress: one of them";
	else if (o->scales && !rates)
		why = "--cores compares throughputs: say with --rate-command, --rate-function or "
		      "--progress how much work is done";
	else if (o->run.rate && !o->rate_command)
		why = "--rate finds a number in what --rate-command prints, which is not given";
	else if (!o->scales && rates)
		why = "a throughput is of use for comparing counts: --cores";
	if (why)
		sd_say(sink, SD_LEVEL_ERROR, "%s", why);
	return why ? -EINVAL : 0;
}

int sd_attach_options_parse(
	int argc, char **argv, struct sd_attach_options *out, const struct sd_sink *sink)
{
	struct sd_command_line line = {.name = "attach",
		.argp = &sd_attach_options_argp,
		.place = places,
		.into = out,
		.sink = sink};
	uint32_t seed;
	int rc, is_given;

	*out = (struct sd_attach_options){0};
	out->run.experiments = SD_EXPERIMENTS_NONE;
	out->run.no_shield = out->run.no_env = 1;
	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed)
		seed = 1;
	out->run.seed = seed;
	rc = sd_command_line_parse(&line, 0, argc, argv);
	if (rc)
		return rc == ENOMEM ? -ENOMEM : -EINVAL;
	out->asked = line.asked;
	is_given = out->window_s > 0;
	out->window_s = is_given ? out->window_s : WINDOW_S;
	out->part_s = out->window_s / (out->run.repeats ? out->run.repeats : PARTS);
	/* a look of no given length goes on until the answer is known */
	if (!out->scales && !out->run.repeats && is_given)
		out->run.repeats = PARTS;
	out->most_parts = PARTS_MOST;
	return check(out, sink);
}

void sd_attach_options_free(struct sd_attach_options *o)
{
	sd_options_free(&o->run);
	*o = (struct sd_attach_options){0};
}
