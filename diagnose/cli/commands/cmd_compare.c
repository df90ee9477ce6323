#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "comparison/comparison_report.h"
#include "run/diagnosis.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "run/print_report.h"
#include "terminal/terminal_style.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_HTML };
static const char *const format_names[] = {"text", "json", "markdown", "html", NULL};

struct compare_arguments {
	const struct sd_sink *sink;
	const char *path[2];
	size_t n;
	unsigned format;
	enum sd_asked asked;
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
	struct compare_arguments *const a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		return sd_command_line_begin(state, &a->asked);
	case 'f':
		return sd_common_values_choice(a->sink, "format", value, format_names, &a->format);
	case ARGP_KEY_ARG:
		return set_path(a, value);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"format", 'f', "text|json|markdown|html", 0, "text is the default", 1},
	{0},
};
const struct argp sd_cmd_compare_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "BEFORE AFTER",
	.doc = "scalediag compare says whether a change helped: how much faster each core count is, which\n"
	       "core-seconds moved beyond noise, which causes went or came.\n"
	       "\n"
	       "  scalediag -o before.json ./app     and, when the program is changed:\n"
	       "  scalediag -o after.json ./app\n"
	       "  scalediag compare before.json after.json\n",
	.children = sd_command_line_common,
};

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
	int rc;

	errno = 0;
	if (a->format == FORMAT_JSON)
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

enum sd_exit sd_cmd_compare(const struct sd_cli *cli, int argc, char **argv)
{
	struct compare_arguments a = {.sink = cli->sink};
	struct sd_diagnosis d[2] = {0};
	enum sd_exit status = SD_EXIT_MEASURE;

	if (sd_command_line_parse("compare", &sd_cmd_compare_argp, 0, argc, argv, &a, cli->sink) !=
		0)
		return SD_EXIT_USAGE;
	if (a.asked)
		return sd_command_help_answer(cli, "compare", a.asked);
	if (a.n < 2) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"two records are needed: scalediag compare BEFORE AFTER");
		return SD_EXIT_USAGE;
	}
	if (sd_diagnosis_open(&d[0], cli, a.path[0], 0) == 0 &&
		sd_diagnosis_open(&d[1], cli, a.path[1], 0) == 0)
		status = compare(cli, &a, d);
	sd_diagnosis_close(&d[0]);
	sd_diagnosis_close(&d[1]);
	return status;
}
