#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/configs.h"
#include "doctor/readiness_look.h"
#include "views/doctor_view.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "run/print_report.h"
#include "terminal/terminal_style.h"

struct doctor_arguments {
	const struct sd_sink *sink;
	unsigned format; /* enum sd_format */
	int is_long;
	enum sd_asked asked;
};

static error_t handle(int key, char *value, struct argp_state *state)
{
	struct doctor_arguments *const a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		return sd_command_line_begin(state, &a->asked);
	case 'f':
		return sd_common_values_choice(
			a->sink, "format", value, sd_common_values_format, &a->format);
	case SD_KEY_JSON:
		a->format = SD_FORMAT_JSON;
		return 0;
	case 'l':
		a->is_long = 1;
		return 0;
	case ARGP_KEY_ARG:
		sd_say(a->sink, SD_LEVEL_ERROR, "'%s': doctor takes options only", value);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"long", 'l', NULL, 0, "Every cause with what it is judged by, and every fact", 1},
	{"format", 'f', "text|json", 0, "text is the default", 1},
	SD_OPTION_JSON(1),
	{0},
};
const struct argp sd_cmd_doctor_argp = {
	.options = options,
	.parser = handle,
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
	return sd_print_report_end(cli);
}

enum sd_exit sd_cmd_doctor(const struct sd_cli *cli, int argc, char **argv)
{
	struct doctor_arguments a = {.sink = cli->sink};

	if (sd_command_line_parse("doctor", &sd_cmd_doctor_argp, 0, argc, argv, &a, cli->sink) != 0)
		return SD_EXIT_USAGE;
	return a.asked ? sd_command_help_answer(cli, "doctor", a.asked) : show(cli, &a);
}
