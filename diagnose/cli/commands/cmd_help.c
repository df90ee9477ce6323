#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "help/command_help.h"
#include "help/topics.h"
#include "options/command_line.h"
#include "run/print_report.h"
#include "terminal/terminal_style.h"

struct help_arguments {
	const struct sd_sink *sink;
	const char *name;
	enum sd_asked asked;
};

static error_t handle(int key, char *value, struct argp_state *state)
{
	struct help_arguments *const a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		return sd_command_line_begin(state, &a->asked);
	case ARGP_KEY_ARG:
		if (a->name) {
			sd_say(a->sink, SD_LEVEL_ERROR,
				"'%s': one command or topic at a time, after '%s'", value, a->name);
			return EINVAL;
		}
		a->name = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {{0}};
const struct argp sd_cmd_help_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "[COMMAND|TOPIC]",
	.doc = "scalediag help explains a command, or a topic; without one, what there is.\n"
	       "\n"
	       "  scalediag help check\n"
	       "  scalediag help limits\n",
	.children = sd_command_line_common,
};

static enum sd_exit refuse(const struct sd_cli *cli, const char *name)
{
	struct sd_nearest n;

	sd_nearest_begin(&n, name, strlen(name));
	for (const struct sd_command *c = cli->commands; c->name; c++)
		sd_nearest_try(&n, c->name);
	for (const struct sd_topic *t = sd_topics; t->name; t++)
		sd_nearest_try(&n, t->name);
	if (n.best)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"'%s': no command and no topic; did you mean '%s'?", name, n.best);
	else
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"'%s': no command and no topic; scalediag help lists them", name);
	return SD_EXIT_USAGE;
}

enum sd_exit sd_cmd_help(const struct sd_cli *cli, int argc, char **argv)
{
	struct help_arguments a = {.sink = cli->sink};
	const struct sd_command *command;
	const char *topic;

	if (sd_command_line_parse("help", &sd_cmd_help_argp, 0, argc, argv, &a, cli->sink) != 0)
		return SD_EXIT_USAGE;
	if (a.asked)
		return sd_command_help_answer(cli, "help", a.asked);
	if (!a.name) {
		sd_command_help_first(stdout, cli);
		return sd_print_report_end(cli);
	}
	command = sd_command_help_find(cli, a.name);
	topic = sd_topics_find(a.name);
	if (!command && !topic)
		return refuse(cli, a.name);
	/* report and learn are both: how to read or hold them, then their options */
	if (topic)
		sd_topics_print(stdout, topic, sd_terminal_style_of(stdout, NULL).colour);
	if (topic && command)
		putchar('\n');
	if (command)
		sd_command_help_print(stdout, cli, command);
	return sd_print_report_end(cli);
}
