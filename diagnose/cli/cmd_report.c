#include "command.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "number.h"
#include "print.h"

/* An option without a letter. */
enum { WAITS = 256, HTML };

struct report_arguments {
	const struct sd_sink *sink;
	const char *path, *html;
	const struct sd_report_format *format;
	struct sd_print_wish wish;
	int help;
};

static error_t set_format(struct report_arguments *a, const char *v)
{
	char *names;

	a->format = sd_report_format_find(v);
	if (a->format)
		return 0;
	names = sd_report_format_names();
	sd_say(a->sink, SD_LEVEL_ERROR, "--format '%s': must be %s", v, names ? names : "text");
	free(names);
	return EINVAL;
}

static error_t set_width(struct report_arguments *a, const char *v)
{
	uint64_t n;

	if (sd_number_u64(v, 40, 1000, &n) < 0) {
		sd_say(a->sink, SD_LEVEL_ERROR,
			"--width '%s': must be a whole number of columns from 40 to 1000", v);
		return EINVAL;
	}
	a->wish.width = (unsigned)n;
	return 0;
}

static error_t set_cores(struct report_arguments *a, const char *v)
{
	uint64_t n;

	if (sd_number_u64(v, 1, 65536, &n) < 0) {
		sd_say(a->sink, SD_LEVEL_ERROR,
			"--cores '%s': must be one core count of the record", v);
		return EINVAL;
	}
	a->wish.cores = (unsigned)n;
	return 0;
}

static error_t set_path(struct report_arguments *a, const char *v)
{
	if (a->path) {
		sd_say(a->sink, SD_LEVEL_ERROR, "'%s': one record at a time, after '%s'", v,
			a->path);
		return EINVAL;
	}
	a->path = v;
	return 0;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	struct report_arguments *const a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		/* getopt says in one line what is wrong; argp would add a second one */
		state->err_stream = NULL;
		return 0;
	case 'f':
		return set_format(a, value);
	case 'w':
		return set_width(a, value);
	case 'l':
		a->wish.all = 1;
		return 0;
	case 'c':
		return set_cores(a, value);
	case WAITS:
		a->wish.waits = 1;
		return 0;
	case HTML:
		a->html = value;
		return 0;
	case 'h':
		a->help = 1;
		return 0;
	case ARGP_KEY_ARG:
		return set_path(a, value);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"format", 'f', "FORMAT", 0, "One of those above", 1},
	{"html", HTML, "FILE", 0, "Write the page for a browser to FILE instead of printing", 1},
	{"width", 'w', "COLUMNS", 0, "Of the text; else the terminal's, or 100", 1},
	{"long", 'l', NULL, 0,
		"Text: every function, with callers, callees and calling contexts; every lock", 1},
	{"cores", 'c', "N", 0, "Stacks: of the runs at N cores; else the largest count", 1},
	{"waits", WAITS, NULL, 0, "Stacks: of the threads that waited, not of those that ran", 1},
	{"help", 'h', NULL, 0, "Print this", 2},
	{0},
};
static const struct argp argp = {.options = options, .parser = handle};

static enum sd_exit help(const struct sd_cli *cli)
{
	char name[] = "scalediag report";

	fputs("scalediag report analyses a record again and prints the report that run printed.\n"
	      "\n"
	      "  scalediag report app.scalediag.json\n"
	      "  scalediag report --format json app.scalediag.json\n"
	      "  scalediag report --long app.scalediag.json\n"
	      "  scalediag report --format folded app.scalediag.json | flamegraph.pl >app.svg\n"
	      "  scalediag report --format folded-diff app.scalediag.json | flamegraph.pl "
	      ">diff.svg\n"
	      "\n"
	      "Formats:\n",
		stdout);
	for (const struct sd_report_format *f = sd_report_formats; f->name; f++)
		printf("  %-12s %s\n", f->name, f->summary);
	fputs("\n", stdout);
	argp_help(&argp, stdout, ARGP_HELP_LONG, name);
	return sd_print_end(cli);
}

enum sd_exit sd_cmd_report(const struct sd_cli *cli, int argc, char **argv)
{
	struct report_arguments a = {.sink = cli->sink, .format = sd_report_format_find("text")};

	if (argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &a) != 0)
		return SD_EXIT_USAGE;
	if (a.help)
		return help(cli);
	if (!a.path) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"no record given: scalediag report RECORD; see scalediag report --help");
		return SD_EXIT_USAGE;
	}
	if (a.html)
		return sd_print_page(cli, a.path, a.html, 0);
	return sd_print_report(cli, a.path, a.format, &a.wish, 0);
}
