#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/contested_lines.h"
#include "lines/lines_report.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "run/print_report.h"
#include "run/record_path.h"
#include "record/record_file.h"
#include "terminal/terminal_style.h"

struct lines_arguments {
	const struct sd_sink *sink;
	const char *path;
	unsigned cores, width, format;
	int sampled;
};

#define AT(field) .at = offsetof(struct lines_arguments, field)
static const struct sd_option_place places[] = {
	{'f', SD_OPTION_CHOICE, AT(format)},
	{'c', SD_OPTION_NUMBER, AT(cores), 1, 1048576},
	{'w', SD_OPTION_NUMBER, AT(width), 40, 1000},
	{'s', SD_OPTION_FLAG, AT(sampled)},
	{ARGP_KEY_ARG, SD_OPTION_ONE, AT(path), .what = "record at a time"},
	{0},
};

static const struct argp_option options[] = {
	{"cores", 'c', "COUNT", 0, "Of the run at this count; else of the largest", 1},
	{"format", 'f', "text|json", 0, "text is the default", 1},
	SD_OPTION_JSON(1),
	{"width", 'w', "COLUMNS", 0, "Of the text; else the terminal's, or 100", 1},
	{"sampled", 's', NULL, 0, "What the CPU sampled, also where a simulated run is there", 1},
	{0},
};
const struct argp sd_cmd_lines_argp = {
	.options = options,
	.parser = sd_command_line_take,
	.args_doc = "[RECORD]",
	.doc = "scalediag lines shows which cache lines the program's own samples saw threads contest, byte by\n"
	       "byte and thread by thread, and what its loops touch; beside them the lines that moved between\n"
	       "the cores of a simulated run, with its working sets, pages, loops and suspected races, or those\n"
	       "that the CPU's own samples of loads and stores saw move. Without RECORD, the newest of this folder.\n"
	       "\n"
	       "  scalediag --events sim --cores 1,2,8 ./app     make such a record\n"
	       "  scalediag lines app.scalediag.json\n"
	       "  scalediag lines --cores 2 --format json app.scalediag.json\n",
	.children = sd_command_line_common,
};

/* Both side by side, then the program's own samples, and what was simulated below them. */
static int print_text(const struct sd_record *record, const struct sd_contested_lines *lines,
	const struct sd_contested_lines *native, const struct sd_report_style *style)
{
	int rc = sd_lines_together(stdout, record, native, lines, style);

	if (!rc && native->native)
		rc = sd_lines_text(stdout, record, native, style);

	if (!rc && native->native && lines->run)
		fputc('\n', stdout);
	return rc || !lines->run ? rc : sd_lines_text(stdout, record, lines, style);
}

static enum sd_exit print(
	const struct sd_cli *cli, const struct lines_arguments *a, const struct sd_record *record)
{
	struct sd_report_style style = sd_terminal_style_of(stdout, a->path);
	struct sd_contested_lines lines, native;
	int rc = sd_contested_line_list_make(record, a->cores, a->sampled, &lines);
	/* asked for what the CPU sampled, nothing else is shown */
	const int also =
		a->sampled ? -ENOENT : sd_contested_line_list_native(record, a->cores, &native);

	errno = 0;
	if (a->width)
		style.width = a->width;
	if (a->sampled)
		native = (struct sd_contested_lines){0};
	if (also == -ENOMEM)
		rc = -ENOMEM;
	if (rc == -ENOENT && also)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			a->sampled ? "%s: no samples of loads and stores in this record; scalediag "
				     "doctor says whether this machine can take some"
			: a->cores
				? "%s: no lines at this count: leave out --cores, or measure it with "
				  "--events sim"
				: "%s: no lines in this record, neither sampled nor simulated: measure "
				  "with --events sim",
			a->path);
	else if (rc != -ENOMEM && a->format == SD_FORMAT_JSON)
		rc = sd_lines_json(stdout, record, &lines, &native);
	else if (rc != -ENOMEM)
		rc = print_text(record, &lines, &native, &style);
	if (rc == -ENOMEM)
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
	sd_contested_lines_free(&native);
	sd_contested_lines_free(&lines);
	/* whoever read has seen enough */
	if (rc == -EIO && errno == EPIPE)
		return SD_EXIT_DONE;
	return rc == -ENOENT || rc == -ENOMEM ? SD_EXIT_MEASURE : sd_print_report_end(cli);
}

enum sd_exit sd_cmd_lines(const struct sd_cli *cli, int argc, char **argv)
{
	struct lines_arguments a = {.sink = cli->sink};
	struct sd_record record = {0};
	struct sd_command_line line = {
		.name = "lines", .argp = &sd_cmd_lines_argp, .place = places, .into = &a};
	enum sd_exit status;
	char *newest = NULL;

	if (!sd_command_help_parse(cli, &line, argc, argv, &status))
		return status;
	if (!a.path)
		a.path = newest = sd_record_path_newest("lines", NULL, cli->sink);
	if (!a.path)
		return SD_EXIT_USAGE;
	status = sd_record_read(a.path, &record, cli->sink) == 0 ? print(cli, &a, &record)
								 : SD_EXIT_MEASURE;
	sd_record_free(&record);
	free(newest);
	return status;
}
