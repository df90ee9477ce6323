#include "options/calibrate_options.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/one_more.h"
#include "options/core_list.h"
#include "options/command_line.h"
#include "options/common_values.h"

enum { KEY_QUICK = 1000, KEY_FULL, KEY_COMPARE, KEY_DIRECTORY, KEY_READ, KEY_REPEAT, KEY_REQUIRE };

static error_t set_cores(struct sd_calibrate_options *a, const char *v)
{
	if (a->cores_given) {
		sd_say(a->sink, SD_LEVEL_ERROR, "--cores '%s': is given twice", v);
		return EINVAL;
	}
	a->cores_given = 1;
	return -sd_core_list_parse(v, &a->options, "--cores", a->sink);
}

static error_t add_limit(struct sd_calibrate_options *a, const char *v)
{
	struct sd_node_limit limit;
	char why[400];

	if (sd_node_limit_parse(v, &limit, why, sizeof why)) {
		sd_say(a->sink, SD_LEVEL_ERROR, "--require %s", why);
		return EINVAL;
	}
	return -SD_APPEND(a->limit, a->n_limit, &limit);
}

static error_t no_kernel(const struct sd_calibrate_options *a, const char *v)
{
	char names[512] = "";
	struct sd_nearest n;

	sd_nearest_begin(&n, v, strlen(v));
	for (size_t i = 0; a->kernels[i]; i++) {
		const size_t used = strlen(names);

		sd_nearest_try(&n, a->kernels[i]->name);

		snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
			a->kernels[i]->name);
	}
	if (n.best)
		sd_say(a->sink, SD_LEVEL_ERROR, "'%s': is no kernel; did you mean '%s'?", v,
			n.best);
	else
		sd_say(a->sink, SD_LEVEL_ERROR, "'%s': is no kernel; there are %s", v, names);
	return EINVAL;
}

/* Marks a kernel as chosen: a NULL in chosen[] is one that is not. */
static error_t add_kernel(struct sd_calibrate_options *a, const char *v)
{
	a->named = 1;
	for (size_t i = 0; a->kernels[i]; i++)
		if (strcmp(a->kernels[i]->name, v) == 0) {
			a->chosen[i] = a->kernels[i];
			return 0;
		}
	return no_kernel(a, v);
}

#define AT(field) .at = offsetof(struct sd_calibrate_options, field)
static const struct sd_option_place places[] = {
	{'f', SD_OPTION_CHOICE, AT(format)}, /* as enum sd_calibrate_format */
	{'o', SD_OPTION_TEXT, AT(output)},
	{KEY_COMPARE, SD_OPTION_TEXT, AT(compare)},
	{KEY_READ, SD_OPTION_TEXT, AT(read)},
	{SD_KEY_HTML, SD_OPTION_TEXT, AT(html)},
	{'l', SD_OPTION_FLAG, AT(is_long)},
	{KEY_REPEAT, SD_OPTION_NUMBER, AT(repeat), 1, 64},
	{KEY_DIRECTORY, SD_OPTION_TEXT, AT(directory)},
	{0},
};

static error_t handle(int key, char *value, struct argp_state *state)
{
	const struct sd_command_line *const l = state->input;
	struct sd_calibrate_options *const a = l->into;

	switch (key) {
	case 'c':
		return set_cores(a, value);
	case KEY_QUICK:
	case KEY_FULL:
		a->quick = key == KEY_QUICK;
		return 0;
	case KEY_REQUIRE:
		return add_limit(a, value);
	case ARGP_KEY_ARG:
		return add_kernel(a, value);
	default:
		return sd_command_line_take(key, value, state);
	}
}

static const struct argp_option options[] = {
	{"cores", 'c', "LIST", 0,
		"Core counts to measure at, such as 1,2,4 or 1-8; else those that "
		"tell most",
		1},
	{"quick", KEY_QUICK, NULL, 0, "About 20 s: fewer core counts, variants and repeats", 1},
	{"full", KEY_FULL, NULL, 0, "At most 3 minutes on 2 cores (the default)", 1},
	{"directory", KEY_DIRECTORY, "DIR", 0,
		"Also measure the disk that DIR is on; else no disk is "
		"touched",
		1},
	{"repeat", KEY_REPEAT, "N", 0,
		"Calibrate N times, one after the other: the profile then tells how much one "
		"differs from the next, which --compare needs of both; 3 will do",
		1},
	{"output", 'o', "FILE", 0,
		"Write the profile there; else, of a whole calibration, to the "
		"cache folder where `scalediag run` looks for it",
		2},
	{"format", 'f', "text|json|csv", 0, "text is the default; json is the profile", 2},
	SD_OPTION_JSON(2),
	{"long", 'l', NULL, 0,
		"Every number and curve; else the ceilings and what they mean, unless kernels are "
		"named",
		2},
	{"html", SD_KEY_HTML, "FILE", 0,
		"Also write a page for a browser to FILE: charts of all curves, with the "
		"calibration before (the one that is replaced, or that of --compare) beside them",
		2},
	{"compare", KEY_COMPARE, "OLD", 0,
		"Say what changed since the profile OLD by more than calibrations differ; exit "
		"status 1 when something did, 4 when too little can be compared",
		2},
	{"require", KEY_REQUIRE, "LIMIT", 0,
		"A limit like triad@all>=180GB/s, bandwidth@1>=20, latency.dram<=110ns, "
		"transfer<=200ns or clock>=0.9; may be repeated. Exit status 1 when one is "
		"broken, 4 when one cannot be told",
		2},
	{"read", KEY_READ, "FILE", 0, "Show or compare this profile instead of measuring", 2},
	{0},
};
const struct argp sd_calibrate_options_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "[KERNEL...]",
	.doc = "scalediag calibrate measures what this node can do at its limits, and keeps it for "
	       "every\n"
	       "later diagnosis.\n"
	       "\n"
	       "  scalediag calibrate                        everything: 3 minutes on 2 cores\n"
	       "  scalediag calibrate --quick\n"
	       "  scalediag calibrate triad --cores 1,2 --format json\n"
	       "  scalediag calibrate --html node.html\n"
	       "  scalediag calibrate --repeat 3 -o before.json\n"
	       "  scalediag calibrate --repeat 3 --compare before.json\n"
	       "                                             is the repaired node what it was?\n"
	       "  scalediag calibrate --quick --require 'triad@all>=180GB/s'\n"
	       "\n"
	       "Everything is measured again in blocks over the whole time, and a number's quartiles\n"
	       "reach over all of them.\n",
	.children = sd_command_line_common,
};

/* Without names: every kernel that is not part of another. Then the gaps are closed. */
static void close_gaps(struct sd_calibrate_options *a)
{
	for (size_t i = 0; a->kernels[i]; i++) {
		if (!a->named)
			a->chosen[i] = a->kernels[i]->weight > 0 ? a->kernels[i] : NULL;
		if (a->chosen[i])
			a->chosen[a->n_chosen++] = a->chosen[i];
	}
}

/* A directory and a kernel that measures it come together, or in a whole calibration. */
static int check_directory(const struct sd_calibrate_options *a)
{
	const struct sd_kernel *with = NULL;

	for (size_t i = 0; i < a->n_chosen; i++)
		with = a->chosen[i] && a->chosen[i]->directory ? a->chosen[i] : with;
	if (a->named && with && !a->directory) {
		sd_say(a->sink, SD_LEVEL_ERROR,
			"'%s': needs --directory DIR, a folder on the disk to measure", with->name);
		return -EINVAL;
	}
	if (a->directory && !with) {
		sd_say(a->sink, SD_LEVEL_ERROR,
			"--directory '%s': none of the kernels given measures a disk",
			a->directory);
		return -EINVAL;
	}
	return 0;
}

static int check(const struct sd_calibrate_options *a)
{
	if (a->output && !*a->output) {
		sd_say(a->sink, SD_LEVEL_ERROR, "--output '': must name a file");
		return -EINVAL;
	}
	if (a->read && (a->named || a->cores_given || a->directory || a->output || a->quick ||
			       a->repeat > 1)) {
		sd_say(a->sink, SD_LEVEL_ERROR,
			"--read '%s': shows what was measured; it goes with --format and --compare "
			"alone",
			a->read);
		return -EINVAL;
	}
	if (a->compare && a->format == SD_CALIBRATE_CSV) {
		sd_say(a->sink, SD_LEVEL_ERROR, "--compare '%s': is text or json, not csv",
			a->compare);
		return -EINVAL;
	}
	return check_directory(a);
}

int sd_calibrate_options_parse(int argc, char **argv, struct sd_calibrate_options *a)
{
	struct sd_command_line line = {.name = "calibrate",
		.argp = &sd_calibrate_options_argp,
		.place = places,
		.into = a,
		.sink = a->sink};
	size_t n = 0;

	while (a->kernels[n])
		n++;
	a->repeat = 1;
	a->chosen = calloc(n + 1, sizeof(void *));
	if (!a->chosen) {
		sd_say(a->sink, SD_LEVEL_ERROR, "not enough memory");
		return -ENOMEM;
	}
	if (sd_command_line_parse(&line, 0, argc, argv) != 0)
		return -EINVAL;
	a->asked = line.asked;
	close_gaps(a);
	return a->asked ? 0 : check(a);
}

void sd_calibrate_options_above(FILE *f, const struct sd_cli *cli)
{
	const struct sd_kernel *const *const kernels = cli->kernels;

	fputs("Kernels:\n", f);
	for (size_t i = 0; kernels[i]; i++)
		fprintf(f, "  %-10s %s%s\n", kernels[i]->name, kernels[i]->summary,
			kernels[i]->weight > 0 ? "" : " (part of another)");
}

void sd_calibrate_options_free(struct sd_calibrate_options *a)
{
	free(a->chosen);
	free(a->limit);
	a->limit = NULL;
	sd_options_free(&a->options);
	a->chosen = NULL;
}
