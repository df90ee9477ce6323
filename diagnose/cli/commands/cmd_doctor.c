#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/configs.h"
#include "views/doctor_view.h"
#include "options/common_values.h"
#include "run/print_report.h"
#include "terminal/terminal_style.h"

struct doctor_arguments {
	const struct sd_sink *sink;
	unsigned format; /* enum sd_format */
	int help;
};

static error_t handle(int key, char *value, struct argp_state *state)
{
	struct doctor_arguments *const a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		return sd_common_values_begin(state);
	case 'f':
		return sd_common_values_choice(
			a->sink, "format", value, sd_common_values_format, &a->format);
	case 'h':
		a->help = 1;
		return 0;
	case ARGP_KEY_ARG:
		sd_say(a->sink, SD_LEVEL_ERROR, "'%s': doctor takes options only", value);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"format", 'f', "FORMAT", 0, "text (the default) or json", 1},
	{"help", 'h', NULL, 0, "Print this", 2},
	{0},
};
static const struct argp argp = {.options = options, .parser = handle};

static enum sd_exit help(const struct sd_cli *cli)
{
	char name[] = "scalediag doctor";

	fputs("scalediag doctor says what can be measured here, what cannot and why, and the "
	      "command "
	      "or\nsetting that enables the rest. It tries everything out and changes nothing.\n"
	      "\n"
	      "  scalediag doctor                 for this user on this machine\n"
	      "  sudo scalediag doctor            for root\n"
	      "  scalediag doctor --format json   for a script\n"
	      "\n",
		stdout);
	argp_help(&argp, stdout, ARGP_HELP_LONG, name);
	return sd_print_report_end(cli);
}

static enum sd_exit show(const struct sd_cli *cli, unsigned format)
{
	const struct sd_doctor_source here = {.maps = sd_configs_dir()};
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	struct sd_doctor d;
	int rc = sd_doctor_look(&d, &here, cli->sink);

	if (rc && rc != -ENOMEM)
		return SD_EXIT_MEASURE;
	if (rc == 0)
		rc = format == SD_FORMAT_JSON ? sd_doctor_json(stdout, &d)
					      : sd_doctor_text(stdout, &d, &style);
	if (rc == -ENOMEM) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s", strerror(ENOMEM));
		return SD_EXIT_MEASURE;
	}
	return sd_print_report_end(cli);
}

enum sd_exit sd_cmd_doctor(const struct sd_cli *cli, int argc, char **argv)
{
	struct doctor_arguments a = {.sink = cli->sink};

	if (argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &a) != 0)
		return SD_EXIT_USAGE;
	return a.help ? help(cli) : show(cli, a.format);
}
