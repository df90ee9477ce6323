#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "record/cause.h"
#include "run/print_report.h"
#include "run/record_path.h"

/* An option without a letter. */
enum { WAITS = 256, FROM_SAMPLES, CAUSE };

struct report_arguments {
	const struct sd_sink *sink;
	const char *path, *html;
	const struct sd_report_format *format;
	struct sd_print_report_wish wish;
	int prints; /* a format was asked for, beside a page */
};

#define AT(field) .at = offsetof(struct report_arguments, field)
static const struct sd_option_place places[] = {
	{'w', SD_OPTION_NUMBER, AT(wish.width), 40, 1000},
	{'l', SD_OPTION_FLAG, AT(wish.all)},
	{'c', SD_OPTION_NUMBER, AT(wish.cores), 1, 65536},
	{WAITS, SD_OPTION_FLAG, AT(wish.waits)},
	{FROM_SAMPLES, SD_OPTION_TEXT, AT(wish.samples)},
	{SD_KEY_HTML, SD_OPTION_TEXT, AT(html)},
	{ARGP_KEY_ARG, SD_OPTION_ONE, AT(path), .what = "record at a time"},
	{0},
};

static error_t set_format(struct report_arguments *a, const char *v)
{
	char *names, hint[SD_NEAREST_HINT];
	struct sd_nearest near;

	a->format = sd_report_format_find(v);
	a->prints = 1;
	if (a->format)
		return 0;
	names = sd_report_format_names();
	sd_nearest_begin(&near, v, strlen(v));
	for (const struct sd_report_format *x = sd_report_formats; x->name; x++)
		sd_nearest_try(&near, x->name);
	sd_say(a->sink, SD_LEVEL_ERROR, "--format '%s': must be %s%s", v, names ? names : "text",
		sd_nearest_hint(&near, hint));
	free(names);
	return EINVAL;
}

static error_t set_cause(struct report_arguments *a, const char *v)
{
	char hint[SD_NEAREST_HINT];
	struct sd_nearest near;

	a->wish.cause = v;
	if (strcmp(v, "work-inflation") == 0) /* growth whose cause was not found */
		return 0;
	sd_nearest_begin(&near, v, strlen(v));
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		if (strcmp(sd_cause_info[i].name, v) == 0)
			return 0;
		sd_nearest_try(&near, sd_cause_info[i].name);
	}
	sd_say(a->sink, SD_LEVEL_ERROR, "--cause '%s': there is no such cause%s", v,
		sd_nearest_hint(&near, hint));
	return EINVAL;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	const struct sd_command_line *const l = state->input;
	struct report_arguments *const a = l->into;

	a->prints |= key == 'l';
	switch (key) {
	case 'f':
		return set_format(a, value);
	case SD_KEY_JSON:
		return set_format(a, "json");
	case SD_KEY_BRIEF:
		return set_format(a, "brief");
	case CAUSE:
		return set_cause(a, value);
	case FROM_SAMPLES:
		if (!*value) {
			sd_say(a->sink, SD_LEVEL_ERROR,
				"--from-samples '': must be the name of a folder");
			return EINVAL;
		}
		break;
	default:
		break;
	}
	return sd_command_line_take(key, value, state);
}

static const struct argp_option options[] = {
	{"format", 'f', "FORMAT", 0, "One of those above", 1},
	SD_OPTION_JSON(1),
	SD_OPTION_BRIEF(1),
	{"cause", CAUSE, "CAUSE", 0,
		"With --brief: all there is on this cause: evidence, places, what to do, lines of source",
		1},
	{"html", SD_KEY_HTML, "FILE", 0,
		"Write the page for a browser to FILE, and print only what --format, --json, --brief or --long ask for",
		1},
	{"width", 'w', "COLUMNS", 0, "Of the text; else the terminal's, or 100", 1},
	{"long", 'l', NULL, 0,
		"Text: with all evidence, functions, calls, calling contexts, locks, experiments and warnings",
		1},
	{"cores", 'c', "N", 0,
		"Stacks: of the runs at N cores; else the largest count, for viewers every count",
		1},
	{"waits", WAITS, NULL, 0, "Stacks: of the threads that waited, not of those that ran", 1},
	{"from-samples", FROM_SAMPLES, "FOLDER", 0,
		"Attribute the runs anew, by the rules of this version, from the raw samples that "
		"--keep-samples wrote there",
		1},
	{0},
};
void sd_cmd_report_above(FILE *f, const struct sd_cli *cli)
{
	(void)cli;
	fputs("Formats:\n", f);
	for (const struct sd_report_format *x = sd_report_formats; x->name; x++)
		fprintf(f, "  %-17s %s\n", x->name, x->summary);
}

const struct argp sd_cmd_report_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "[RECORD]",
	.doc = "scalediag report analyses a record again and prints the report that run printed.\n"
	       "Without RECORD, the newest of this folder.\n"
	       "\n"
	       "  scalediag report app.scalediag.json\n"
	       "  scalediag report --json app.scalediag.json\n"
	       "  scalediag report --long app.scalediag.json\n"
	       "  scalediag report --from-samples app.scalediag.samples app.scalediag.json\n"
	       "  scalediag report --format folded app.scalediag.json | flamegraph.pl >app.svg\n"
	       "  scalediag report --format folded-diff app.scalediag.json |\n"
	       "    flamegraph.pl >diff.svg\n"
	       "  scalediag report --format perfetto --from-samples app.scalediag.samples \\\n"
	       "    app.scalediag.json >app.json\n",
	.children = sd_command_line_common,
};

static enum sd_exit write_page(const struct sd_cli *cli, const struct report_arguments *a)
{
	const struct sd_output_wish page = {.path = a->html, .kind = SD_OUTPUT_PAGE};
	const struct sd_output_input record = {a->path, "the record that is reported"};
	const enum sd_exit status = sd_record_path_check(&page, 1, &record, 1, cli->sink);

	return status == SD_EXIT_DONE
		       ? sd_print_report_page(cli, a->path, a->html, a->wish.samples, 0)
		       : status;
}

enum sd_exit sd_cmd_report(const struct sd_cli *cli, int argc, char **argv)
{
	struct report_arguments a = {.sink = cli->sink, .format = sd_report_format_find("text")};
	struct sd_command_line line = {
		.name = "report", .argp = &sd_cmd_report_argp, .place = places, .into = &a};
	enum sd_exit status;
	char *newest = NULL;

	if (!sd_command_help_parse(cli, &line, argc, argv, &status))
		return status;
	if (a.wish.cause && strcmp(a.format->name, "brief") != 0) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "--cause '%s': goes with --brief", a.wish.cause);
		return SD_EXIT_USAGE;
	}
	if (!a.path)
		a.path = newest = sd_record_path_newest("report", NULL, cli->sink);
	if (!a.path)
		return SD_EXIT_USAGE;
	if (a.html)
		status = write_page(cli, &a);
	if (status == SD_EXIT_DONE && (!a.html || a.prints))
		status = sd_print_report(cli, a.path, a.format, &a.wish, 0);
	free(newest);
	return status;
}
