#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/configs.h"
#include "doctor/readiness_look.h"
#include "views/doctor_view.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "output/output_file.h"
#include "run/print_report.h"
#include "run/record_path.h"
#include "terminal/terminal_style.h"

struct doctor_arguments {
	const char *html;
	unsigned format; /* enum sd_format */
	int is_long;
};

#define AT(field) .at = offsetof(struct doctor_arguments, field)
static const struct sd_option_place places[] = {
	{'f', SD_OPTION_CHOICE, AT(format)},
	{'l', SD_OPTION_FLAG, AT(is_long)},
	{SD_KEY_HTML, SD_OPTION_TEXT, AT(html)},
	{0},
};

static const struct argp_option options[] = {
	{"long", 'l', NULL, 0, "Every cause with what it is judged by, and every fact", 1},
	{"format", 'f', "text|json", 0, "text is the default", 1},
	SD_OPTION_JSON(1),
	{"html", SD_KEY_HTML, "FILE", 0, "Write everything as a page for a browser, too", 1},
	{0},
};
const struct argp sd_cmd_doctor_argp = {
	.options = options,
	.parser = sd_command_line_take,
	.doc = "scalediag doctor says what to mend first on this machine, and which causes can be confirmed\n"
	       "by an experiment, found likely by evidence, or not be found. It tries everything out and\n"
	       "changes nothing.\n"
	       "\n"
	       "  scalediag doctor                 for this user on this machine\n"
	       "  sudo scalediag doctor            for root\n"
	       "  scalediag doctor --long          with every fact\n"
	       "  scalediag doctor --format json   for a script\n",
	.children = sd_command_line_common,
};

/* Facts for the page. */
struct found {
	const struct sd_doctor *doctor;
	const struct sd_readiness *ready;
};

static int put_page(FILE *f, const void *found)
{
	const struct found *const x = found;

	return sd_doctor_html(f, x->doctor, x->ready);
}

static enum sd_exit show(const struct sd_cli *cli, const struct doctor_arguments *a)
{
	const struct sd_doctor_source here = {.maps = sd_configs_dir()};
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	struct sd_readiness ready;
	struct sd_doctor d;
	int rc = sd_doctor_look(&d, &here, cli->sink);

	if (rc == 0)
		rc = sd_readiness_look(&ready, cli->sink);
	if (rc && rc != -ENOMEM)
		return SD_EXIT_MEASURE;
	if (rc == 0)
		rc = a->format == SD_FORMAT_JSON ? sd_doctor_json(stdout, &d, &ready)
		     : a->is_long                ? sd_doctor_text(stdout, &d, &ready, &style)
						 : sd_doctor_brief(stdout, &d, &ready, &style);
	if (rc == -ENOMEM) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s", strerror(ENOMEM));
		return SD_EXIT_MEASURE;
	}
	if (a->html && sd_output_file_write(a->html, SD_OUTPUT_PAGE, put_page,
			       &(struct found){&d, &ready}, cli->sink) != 0)
		return SD_EXIT_MEASURE;
	return sd_print_report_end(cli);
}

enum sd_exit sd_cmd_doctor(const struct sd_cli *cli, int argc, char **argv)
{
	struct doctor_arguments a = {0};
	struct sd_command_line line = {
		.name = "doctor", .argp = &sd_cmd_doctor_argp, .place = places, .into = &a};
	enum sd_exit status;

	if (!sd_command_help_parse(cli, &line, argc, argv, &status))
		return status;
	status = sd_record_path_check(
		&(struct sd_output_wish){.path = a.html, .kind = SD_OUTPUT_PAGE}, 1, NULL, 0,
		cli->sink);
	return status == SD_EXIT_DONE ? show(cli, &a) : status;
}
