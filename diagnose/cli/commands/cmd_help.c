#include "commands/commands.h"

#include <argp.h>
#include <stddef.h>
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
	const char *name;
};

#define AT(field) .at = offsetof(struct help_arguments, field)
static const struct sd_option_place places[] = {
	{ARGP_KEY_ARG, SD_OPTION_ONE, AT(name), .what = "command or topic at a time"},
	{0},
};

static const struct argp_option options[] = {{0}};
const struct argp sd_cmd_help_argp = {
	.options = options,
	.parser = sd_command_line_take,
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
	struct help_arguments a = {0};
	struct sd_command_line line = {
		.name = "help", .argp = &sd_cmd_help_argp, .place = places, .into = &a};
	enum sd_exit status;
	const struct sd_command *command;
	const char *topic;

	if (!sd_command_help_parse(cli, &line, argc, argv, &status))
		return status;
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
