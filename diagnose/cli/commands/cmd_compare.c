#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/timed_pairs.h"
#include "comparison/comparison_report.h"
#include "run/diagnosis.h"
#include "help/command_help.h"
#include "launch/command_words.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "output/output_file.h"
#include "run/print_report.h"
#include "run/record_path.h"
#include "terminal/terminal_style.h"
#include "view/view.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_BRIEF, FORMAT_MARKDOWN, FORMAT_HTML };

struct compare_arguments {
	const struct sd_sink *sink;
	const char *path[2], *html;
	size_t n;
	unsigned format;
	int prints; /* a format was asked for, beside a page */
};

#define AT(field) .at = offsetof(struct compare_arguments, field)
static const struct sd_option_place places[] = {
	{'f', SD_OPTION_CHOICE, AT(format)},
	{SD_KEY_HTML, SD_OPTION_TEXT, AT(html)},
	{0},
};

static error_t set_path(struct compare_arguments *a, const char *v)
{
	if (a->n == 2) {
		sd_say(a->sink, SD_LEVEL_ERROR, "'%s': two records are compared, not more", v);
		return EINVAL;
	}
	a->path[a->n++] = v;
	return 0;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	const struct sd_command_line *const l = state->input;
	struct compare_arguments *const a = l->into;

	if (key == ARGP_KEY_ARG)
		return set_path(a, value);
	a->prints |= key == 'f' || key == SD_KEY_JSON || key == SD_KEY_BRIEF;
	return sd_command_line_take(key, value, state);
}

static const struct argp_option options[] = {
	{"format", 'f', "text|json|brief|markdown|html", 0, "text is the default", 1},
	SD_OPTION_JSON(1),
	SD_OPTION_BRIEF(1),
	{"html", SD_KEY_HTML, "FILE", 0,
		"Write the page for a browser to FILE, and print only what --format, --json or --brief ask for",
		1},
	{0},
};
const struct argp sd_cmd_compare_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "[BEFORE [AFTER]]",
	.doc = "scalediag compare says whether a change helped: how much faster each core count is, which\n"
	       "core-seconds moved beyond noise, which causes went or came.\n"
	       "\n"
	       "  scalediag -o before.json ./app     and, when the program is changed:\n"
	       "  scalediag -o after.json ./app\n"
	       "  scalediag compare before.json after.json\n"
	       "\n"
	       "Two programs, or commands in quotes, are run in pairs, one right after the other: how much\n"
	       "faster the second is, with its interval, and whether both print the same.\n"
	       "\n"
	       "  scalediag compare './before 8' './after 8'\n"
	       "\n"
	       "Without AFTER, the newest record of this folder besides; without both, the two newest.\n",
	.children = sd_command_line_common,
};

/* The contents of a page's file. */
struct page {
	const struct sd_comparison *c;
	const struct sd_sides *sides;
};

static int put_page(FILE *f, const void *data)
{
	const struct page *const p = data;

	return sd_comparison_html(f, p->c, p->sides);
}

static enum sd_exit print(const struct sd_cli *cli, const struct compare_arguments *a,
	const struct sd_diagnosis d[2], const struct sd_comparison *c)
{
	const struct sd_sides sides = {
		.before = a->path[0],
		.after = a->path[1],
		.before_record = &d[0].record,
		.after_record = &d[1].record,
	};
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	const struct page page = {c, &sides};
	struct sd_view view;
	int rc;

	if (a->html &&
		sd_output_file_write(a->html, SD_OUTPUT_PAGE, put_page, &page, cli->sink) != 0)
		return SD_EXIT_MEASURE;
	if (a->html && !a->prints)
		return SD_EXIT_DONE;
	errno = 0;
	if (a->format == FORMAT_BRIEF) {
		rc = sd_view_make(&view, &d[1].record, &d[1].analysis, a->path[1]);
		if (!rc) {
			rc = sd_comparison_brief(stdout, c, &sides, &view);
			sd_view_free(&view);
		}
	} else if (a->format == FORMAT_JSON)
		rc = sd_comparison_json(stdout, c, &sides);
	else if (a->format == FORMAT_HTML)
		rc = sd_comparison_html(stdout, c, &sides);
	else if (a->format == FORMAT_MARKDOWN)
		rc = sd_comparison_markdown(stdout, c, &sides);
	else
		rc = sd_comparison_text(stdout, c, &sides, &style);
	return sd_print_report_done(cli, rc);
}

static enum sd_exit compare(
	const struct sd_cli *cli, const struct compare_arguments *a, const struct sd_diagnosis d[2])
{
	struct sd_comparison c;
	enum sd_exit status = SD_EXIT_MEASURE;
	const int rc = sd_compare(&d[0].record, &d[0].analysis, &d[1].record, &d[1].analysis, &c);

	if (rc == -ENODATA)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"%s and %s have no core count in common: measure both with the same --cores",
			a->path[0], a->path[1]);
	else if (rc)
		sd_say(cli->sink, SD_LEVEL_ERROR, "cannot compare: %s", strerror(-rc));
	else
		status = print(cli, a, d, &c);
	sd_comparison_free(&c);
	return status;
}

/* Finds what was not named, and checks that the page may be written. */
static enum sd_exit check_files(
	const struct sd_cli *cli, struct compare_arguments *a, char *newest[2])
{
	const struct sd_output_wish page = {.path = a->html, .kind = SD_OUTPUT_PAGE};

	if (a->n < 2)
		a->path[1] = newest[1] =
			sd_record_path_newest("compare", a->n ? a->path[0] : NULL, cli->sink);
	if (a->n < 1 && a->path[1])
		a->path[0] = newest[0] = sd_record_path_newest("compare", a->path[1], cli->sink);
	if (!a->path[0] || !a->path[1])
		return SD_EXIT_USAGE;
	const struct sd_output_input inputs[] = {
		{a->path[0], "the record that is compared"},
		{a->path[1], "the record that is compared"},
	};

	return a->html ? sd_record_path_check(&page, 1, inputs, 2, cli->sink) : SD_EXIT_DONE;
}

/* ---- two programs ---------------------------------------------------------------------------- */

#define PAIRS_S 30

static enum sd_exit time_programs(
	const struct sd_cli *cli, const struct compare_arguments *a, char ***words)
{
	struct sd_timed_pairs p = {.side = {{.called = a->path[0], .argv = words[0]},
					   {.called = a->path[1], .argv = words[1]}}};
	char said[1024];
	enum sd_exit status;

	if (a->html || (a->format != FORMAT_TEXT && a->format != FORMAT_JSON)) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"of two programs that are timed text and JSON are printed: --format text or "
			"json");
		return SD_EXIT_USAGE;
	}
	status = sd_timed_pairs_run(cli, &p, PAIRS_S);
	if (status != SD_EXIT_DONE)
		return status;
	sd_timed_pairs_say(&p, a->path[1], said, sizeof said);
	if (a->format == FORMAT_TEXT)
		puts(said);
	else
		printf("{\"gain\": {\"value\": %.6g, \"low\": %.6g, \"high\": %.6g}, \"pairs\": "
		       "%zu, \"before_s\": %.6g, \"after_s\": %.6g, \"same_output\": %s, "
		       "\"steady_output\": %s}\n",
			p.gain.value, p.gain.low, p.gain.high, p.pairs, p.side[0].seconds,
			p.side[1].seconds, p.same ? "true" : "false", p.steady ? "true" : "false");
	return sd_print_report_end(cli);
}

/* Times what was named where both are programs. 0: they are not; 1: *status is that of the command;
 * -ENOMEM. */
static int try_programs(
	const struct sd_cli *cli, const struct compare_arguments *a, enum sd_exit *status)
{
	char **words[2] = {NULL, NULL};
	int are = a->n == 2;

	for (size_t i = 0; i < 2 && are > 0; i++)
		are = sd_timed_pairs_program(a->path[i], &words[i]);
	if (are > 0)
		*status = time_programs(cli, a, words);
	sd_command_words_free(words[0]);
	sd_command_words_free(words[1]);
	return are;
}

enum sd_exit sd_cmd_compare(const struct sd_cli *cli, int argc, char **argv)
{
	struct compare_arguments a = {.sink = cli->sink};
	struct sd_command_line line = {
		.name = "compare", .argp = &sd_cmd_compare_argp, .place = places, .into = &a};
	struct sd_diagnosis d[2] = {0};
	char *newest[2] = {NULL, NULL};
	enum sd_exit status;

	if (!sd_command_help_parse(cli, &line, argc, argv, &status))
		return status;
	if (try_programs(cli, &a, &status) > 0)
		return status;
	status = check_files(cli, &a, newest);
	if (status == SD_EXIT_DONE) {
		status = SD_EXIT_MEASURE;
		if (sd_diagnosis_open(&d[0], cli, a.path[0], 0) == 0 &&
			sd_diagnosis_open(&d[1], cli, a.path[1], 0) == 0)
			status = compare(cli, &a, d);
	}
	sd_diagnosis_close(&d[0]);
	sd_diagnosis_close(&d[1]);
	free(newest[0]);
	free(newest[1]);
	return status;
}
