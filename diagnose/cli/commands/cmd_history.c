#include "commands/commands.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/history_report.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "output/output_file.h"
#include "run/diagnosis.h"
#include "run/print_report.h"
#include "run/record_path.h"
#include "terminal/terminal_style.h"

struct history_arguments {
	const char *folder, *html;
	unsigned format;
};

#define AT(field) .at = offsetof(struct history_arguments, field)
static const struct sd_option_place places[] = {
	{'f', SD_OPTION_CHOICE, AT(format)},
	{SD_KEY_HTML, SD_OPTION_TEXT, AT(html)},
	{ARGP_KEY_ARG, SD_OPTION_ONE, AT(folder), .what = "folder of records"},
	{0},
};

static const struct argp_option options[] = {
	{"html", SD_KEY_HTML, "FILE", 0, "Write a page for a browser to FILE instead of printing",
		1},
	{"format", 'f', "text|json", 0, "text is the default", 1},
	SD_OPTION_JSON(1),
	{0},
};
const struct argp sd_cmd_history_argp = {
	.options = options,
	.parser = sd_command_line_take,
	.args_doc = "FOLDER",
	.doc = "scalediag history shows how a program's scaling and its main cause changed from "
	       "commit to commit:\na row for each record (*.json) in FOLDER, by program, oldest "
	       "first.\n"
	       "\n"
	       "  scalediag -o records/$(git rev-parse --short HEAD).json ./app\n"
	       "  scalediag history records\n"
	       "  scalediag history --html history.html records\n"
	       "\n"
	       "Records name the commit that was checked out around the working folder. A row is "
	       "'slower' or\n'faster' when the time at its largest core count differs beyond noise "
	       "from that of the last row\nmeasured at this count on the same CPU model. Changes smaller than "
	       "the noise of single records\nare found from some twelve records on (E-divisive, Matteson "
	       "and James 2014): from which commit\non, by how much, how surely, and which cause moved.\n",
	.children = sd_command_line_common,
};

/* Says what is wrong with a file of the folder as a warning; the others are still read. */
static void say_as_warning(void *ctx, enum sd_level level, const char *text)
{
	const struct sd_sink *const *const to = ctx;

	(void)level;
	sd_say(*to, SD_LEVEL_WARNING, "%s; left out", text);
}

static int is_named_json(const struct dirent *e)
{
	const size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 && strcmp(e->d_name + n - 5, ".json") == 0;
}

/* 0 or -ENOMEM; what is no record is left out. */
static int add_record(
	const struct sd_cli *cli, const char *folder, const char *name, struct sd_history *out)
{
	/* the sink only passes on what it is given */
	const struct sd_sink *to = cli->sink;
	const struct sd_sink sink = {.emit = say_as_warning, .ctx = &to};
	struct sd_cli quiet = *cli;
	struct sd_diagnosis d;
	char *path;
	int rc = 0;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	quiet.sink = &sink;
	if (sd_diagnosis_open(&d, &quiet, path, 0) == 0)
		rc = sd_history_add(out, name, &d.record, &d.analysis);
	sd_diagnosis_close(&d);
	free(path);
	return rc;
}

static enum sd_exit read_folder(
	const struct sd_cli *cli, const char *folder, struct sd_history *out)
{
	struct dirent **name = NULL;
	const int n = scandir(folder, &name, is_named_json, alphasort);
	int rc = n < 0 ? -errno : 0;

	for (int i = 0; i < n; i++) {
		if (!rc)
			rc = add_record(cli, folder, name[i]->d_name, out);
		free(name[i]);
	}
	free(name);
	if (!rc)
		rc = sd_history_end(out);
	if (rc)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", folder, strerror(-rc));
	else if (!out->n)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"%s: has no record (*.json) with a run that can be analysed", folder);
	return rc || !out->n ? SD_EXIT_MEASURE : SD_EXIT_DONE;
}

/* The contents of a page's file. */
struct page {
	const struct sd_history *history;
	const char *folder;
};

static int put_page(FILE *f, const void *data)
{
	const struct page *const p = data;

	return sd_history_html(f, p->history, p->folder);
}

static enum sd_exit print(
	const struct sd_cli *cli, const struct history_arguments *a, const struct sd_history *h)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	const struct page page = {h, a->folder};

	if (a->html)
		return sd_output_file_write(a->html, SD_OUTPUT_PAGE, put_page, &page, cli->sink) ==
				       0
			       ? SD_EXIT_DONE
			       : SD_EXIT_MEASURE;
	errno = 0;
	return sd_print_report_done(cli, a->format == SD_FORMAT_JSON
						 ? sd_history_json(stdout, h, a->folder)
						 : sd_history_text(stdout, h, &style));
}

enum sd_exit sd_cmd_history(const struct sd_cli *cli, int argc, char **argv)
{
	struct history_arguments a = {0};
	struct sd_command_line line = {
		.name = "history", .argp = &sd_cmd_history_argp, .place = places, .into = &a};
	struct sd_history history = {0};
	enum sd_exit status;

	if (!sd_command_help_parse(cli, &line, argc, argv, &status))
		return status;
	if (!a.folder) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"no folder given: scalediag history FOLDER; see scalediag history --help");
		return SD_EXIT_USAGE;
	}
	if (a.html) {
		const struct sd_output_wish page = {.path = a.html, .kind = SD_OUTPUT_PAGE};

		status = sd_record_path_check(&page, 1, NULL, 0, cli->sink);
		if (status != SD_EXIT_DONE)
			return status;
	}
	status = read_folder(cli, a.folder, &history);
	if (status == SD_EXIT_DONE)
		status = print(cli, &a, &history);
	sd_history_free(&history);
	return status;
}
