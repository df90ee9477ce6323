#include "fleet/fleet_options.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sweep/sweep_engine.h"
#include "base/nearest.h"

#define AT_ONCE 16u
#define TIMEOUT_S 900.0
#define STORE "fleet.db"
#define STORE_VARIABLE "SCALEDIAG_FLEET"

enum {
	KEY_DB = 1000,
	KEY_HTML,
	KEY_NODE,
	KEY_SLURM,
	KEY_HOSTS,
	KEY_GROUP,
	KEY_ENGINE,
	KEY_AT_ONCE,
	KEY_TIMEOUT,
	KEY_FULL,
	KEY_AGAIN,
	KEY_REMOTE
};

/* The words of the actions, and how many operands each takes. */
static const struct {
	const char *name;
	size_t least, most;
	const char *takes;
} actions[SD_FLEET_ACTIONS] = {
	[SD_FLEET_CALIBRATE] = {"calibrate", 0, 0, "no operand, but --slurm, --hosts or --group"},
	[SD_FLEET_REPORT] = {"report", 0, 1, "one store or folder of profiles at most"},
	[SD_FLEET_CHECK] = {"check", 0, 1, "one store or folder of profiles at most"},
	[SD_FLEET_COMPARE] = {"compare", 2, 2, "BEFORE and AFTER"},
	[SD_FLEET_HISTORY] = {"history", 1, 1, "one node"},
	[SD_FLEET_IMPORT] = {"import", 1, SD_FLEET_OPERANDS_MAX, "the files to import"},
	[SD_FLEET_EXPORT] = {"export", 0, 0, "no operand"},
};

/* "5%", or a fraction, ".05". */
static error_t parse_tolerance(struct sd_fleet_options *a, const char *value)
{
	const size_t n = strlen(value);
	const int percent = n > 1 && value[n - 1] == '%';
	char digits[32];

	snprintf(digits, sizeof digits, "%.*s", (int)(n - (size_t)percent), value);
	if (n < sizeof digits &&
		sd_number_double(digits, 0, percent ? 100 : 1, &a->tolerance) == 0) {
		a->tolerance /= percent ? 100 : 1;
		return 0;
	}
	sd_say(a->sink, SD_LEVEL_ERROR, "--tolerance: '%s' is no share: 5%% or 0.05", value);
	return EINVAL;
}

static error_t add_operand(struct sd_fleet_options *a, const char *value)
{
	char hint[SD_NEAREST_HINT];
	struct sd_nearest near;

	if (a->action < 0) {
		for (int i = 0; i < SD_FLEET_ACTIONS; i++)
			if (strcmp(value, actions[i].name) == 0)
				a->action = i;
		if (a->action >= 0)
			return 0;
		sd_nearest_begin(&near, value, strlen(value));
		for (int i = 0; i < SD_FLEET_ACTIONS; i++)
			sd_nearest_try(&near, actions[i].name);
		sd_say(a->sink, SD_LEVEL_ERROR,
			"'%s': is none of calibrate, report, check, compare, history, import, "
			"export%s",
			value, sd_nearest_hint(&near, hint));
		return EINVAL;
	}
	if (a->n_operand == actions[a->action].most) {
		sd_say(a->sink, SD_LEVEL_ERROR, "'%s': fleet %s takes %s", value,
			actions[a->action].name, actions[a->action].takes);
		return EINVAL;
	}
	a->operand[a->n_operand++] = value;
	return 0;
}

#define AT(field) .at = offsetof(struct sd_fleet_options, field)
static const struct sd_option_place places[] = {
	{KEY_DB, SD_OPTION_TEXT, AT(store)},
	{KEY_HTML, SD_OPTION_TEXT, AT(html)},
	{KEY_NODE, SD_OPTION_TEXT, AT(node)},
	{'p', SD_OPTION_TEXT, AT(partition)},
	{KEY_HOSTS, SD_OPTION_TEXT, AT(hosts)},
	{KEY_GROUP, SD_OPTION_TEXT, AT(group)},
	{KEY_REMOTE, SD_OPTION_TEXT, AT(remote)},
	{'f', SD_OPTION_CHOICE, AT(open_metrics)},
	{KEY_SLURM, SD_OPTION_FLAG, AT(slurm)},
	{KEY_ENGINE, SD_OPTION_CHOICE, AT(engine)}, /* as enum sd_sweep_engine */
	{KEY_AT_ONCE, SD_OPTION_NUMBER, AT(at_once), 1, 1024},
	{KEY_TIMEOUT, SD_OPTION_SECONDS, AT(timeout), 1, 1e6},
	{KEY_FULL, SD_OPTION_FLAG, AT(full)},
	{KEY_AGAIN, SD_OPTION_FLAG, AT(again)},
	{0},
};

static error_t handle(int key, char *value, struct argp_state *state)
{
	const struct sd_command_line *const l = state->input;

	return key == 't'            ? parse_tolerance(l->into, value)
	       : key == ARGP_KEY_ARG ? add_operand(l->into, value)
				     : sd_command_line_take(key, value, state);
}

static const struct argp_option options[] = {
	{"db", KEY_DB, "FILE", 0,
		"The store; else $" STORE_VARIABLE ", else " STORE " in the current folder", 1},
	{"tolerance", 't', "SHARE", 0,
		"How far from the median of its like a node may be (report, check: 5%), or a number "
		"may have moved (compare: 1%)",
		2},
	{"node", KEY_NODE, "NAME", 0, "check: this node alone, against its like", 2},
	{"format", 'f', "text|openmetrics", 0,
		"report, check: for people (the default), or gauges for Prometheus and its "
		"node_exporter",
		2},
	{"html", KEY_HTML, "FILE", 0,
		"report: write a page, with a map of nodes x ceilings, to FILE", 2},
	{"slurm", KEY_SLURM, NULL, 0, "calibrate: the nodes of Slurm, by srun", 3},
	{"partition", 'p', "PART", 0, "With --slurm: those of this partition", 3},
	{"hosts", KEY_HOSTS, "FILE", 0, "calibrate: the nodes named in FILE, one a line", 3},
	{"group", KEY_GROUP, "NAME", 0,
		"calibrate: the nodes of a group of ClusterShell or pdsh, such as @compute", 3},
	{"engine", KEY_ENGINE, "srun|clush|pdsh|ssh", 0,
		"What reaches the nodes; else srun for --slurm, and for others the first that is "
		"installed of clush, pdsh, ssh",
		3},
	{"at-once", KEY_AT_ONCE, "N", 0, "Nodes at the same time; 16 is the default", 3},
	{"timeout", KEY_TIMEOUT, "SECONDS", 0,
		"A node that has not ended by then has failed; 900 is the default", 3},
	{"full", KEY_FULL, NULL, 0, "Whole calibrations of 3 minutes, not quick ones of 20 s", 3},
	{"again", KEY_AGAIN, NULL, 0,
		"Begin anew, where the last calibration of these nodes was interrupted", 3},
	{"remote", KEY_REMOTE, "FILE", 0,
		"Path of scalediag on the nodes; else that of this program", 3},
	{0},
};
const struct argp sd_fleet_options_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "calibrate|report|check|compare|history|import|export FILE...",
	.doc = "scalediag fleet finds the nodes that differ from their like. Calibrations are kept "
	       "in one\nfile, a store of SQLite:\n"
	       "\n"
	       "  scalediag fleet calibrate --slurm -p compute    or --hosts FILE\n"
	       "  scalediag fleet report --html fleet.html\n"
	       "  scalediag fleet check --tolerance 5%            exit status 1: a node is out\n"
	       "  scalediag fleet check --node \"$(hostname)\"      in a health check\n"
	       "  scalediag fleet compare 2026-03-01 2026-03-08   before and after\n"
	       "  scalediag fleet compare kernel=6.1.0 kernel=6.12.0\n"
	       "  scalediag fleet history n017\n"
	       "  scalediag fleet export >fleet.jsonl\n"
	       "  scalediag fleet import fleet.jsonl profiles/*.json\n"
	       "\n"
	       "Nodes are alike that have the CPU model, the CPUs, the memory and the caches in "
	       "common. A node\nis out when the whole interval of one of its numbers is farther "
	       "from the median of its like than\nthe tolerance, and than 4 median absolute "
	       "deviations; fewer than 4 nodes are not judged. Each\npair of cores is compared "
	       "with the same pair of the others. report and check also take a folder\nof "
	       "profiles ('scalediag calibrate -o') instead of a store.\n\v"
	       "calibrate goes on where it was interrupted, and calibrates nodes that failed once "
	       "more. check\nprints the command that drains a node, and never runs it. compare "
	       "takes stores, folders, days\n(YYYY-MM-DD: the newest calibrations until its end) "
	       "and facts (NAME=TEXT: the newest with it).\n"
	       "\n"
	       "Exit status: 0 done, no node is out, nothing changed; 1 a node is out, or something "
	       "changed; 4 none\ncould be judged, or calibrated.\n",
	.children = sd_command_line_common,
};

static int complain(const struct sd_fleet_options *a, const char *what)
{
	sd_say(a->sink, SD_LEVEL_ERROR, "%s", what);
	return -EINVAL;
}

static int check(const struct sd_fleet_options *a)
{
	if (a->action < 0)
		return complain(a,
			"nothing to do: scalediag fleet calibrate, report, check, compare, "
			"history, import or export; see scalediag fleet --help");
	if (a->n_operand < actions[a->action].least) {
		sd_say(a->sink, SD_LEVEL_ERROR, "fleet %s takes %s", actions[a->action].name,
			actions[a->action].takes);
		return -EINVAL;
	}
	if (a->action == SD_FLEET_CALIBRATE && a->slurm + !!a->hosts + !!a->group != 1)
		return complain(
			a, "which nodes: give one of --slurm, --hosts FILE and --group NAME");
	if (a->partition && !a->slurm)
		return complain(a, "--partition: goes with --slurm");
	if (a->slurm && a->engine > SD_SWEEP_SRUN)
		return complain(a, "--engine: nodes of Slurm are reached by srun");
	if (!a->slurm && a->engine == SD_SWEEP_SRUN)
		return complain(a, "--engine srun: goes with --slurm");
	if (a->open_metrics && a->action != SD_FLEET_REPORT && a->action != SD_FLEET_CHECK)
		return complain(a, "--format openmetrics: is of report and check");
	if (!a->store[0])
		return complain(a, "--db '': must name a file");
	return 0;
}

int sd_fleet_options_parse(int argc, char **argv, struct sd_fleet_options *a)
{
	const struct sd_sink *const sink = a->sink;
	const char *const store = getenv(STORE_VARIABLE);
	struct sd_command_line line = {.name = "fleet",
		.argp = &sd_fleet_options_argp,
		.place = places,
		.into = a,
		.sink = sink};

	*a = (struct sd_fleet_options){.sink = sink,
		.action = -1,
		.engine = -1,
		.store = store && store[0] ? store : STORE,
		.tolerance = -1,
		.at_once = AT_ONCE,
		.timeout = TIMEOUT_S};
	if (sd_command_line_parse(&line, 0, argc, argv) != 0)
		return -EINVAL;
	a->asked = line.asked;
	return a->asked ? 0 : check(a);
}
