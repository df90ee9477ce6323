#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "commands/commands.h"
#include "fleet/fleet_options.h"
#include "help/topics.h"
#include "launch/program_path.h"
#include "options/attach_options.h"
#include "options/calibrate_options.h"
#include "options/run_options.h"

/* `run` first: it is what a command line without a command means. */
/* clang-format off */
const struct sd_command sd_commands[] = {
	{"run", "diagnose a program; the word may be left out", "Diagnose", 0,
		sd_cmd_run, &sd_run_options_argp, NULL, sd_run_options_below,
		sd_run_options_daily},
	{"attach", "look at a program that runs already", NULL, 0,
		sd_cmd_attach, &sd_attach_options_argp, NULL, NULL, NULL},
	{"report", "analyse a record again", NULL, 1,
		sd_cmd_report, &sd_cmd_report_argp, sd_cmd_report_above, NULL, NULL},
	{"lines", "which cache lines the threads fight for", NULL, 1,
		sd_cmd_lines, &sd_cmd_lines_argp, NULL, NULL, NULL},
	{"fix", "what to change in the sources, as a diff where it can be said exactly", NULL, 0,
		sd_cmd_fix, &sd_cmd_fix_argp, NULL, NULL, NULL},
	{"compare", "did the change help, and which cause moved?", "Changes", 1,
		sd_cmd_compare, &sd_cmd_compare_argp, NULL, NULL, NULL},
	{"check", "for build servers: are requirements met?", NULL, 1,
		sd_cmd_check, &sd_cmd_check_argp, NULL, NULL, NULL},
	{"history", "scaling and its main cause from commit to commit", NULL, 1,
		sd_cmd_history, &sd_cmd_history_argp, NULL, NULL, NULL},
	{"doctor", "what can be measured here, and what enables the rest", "Machines", 0,
		sd_cmd_doctor, &sd_cmd_doctor_argp, NULL, NULL, NULL},
	{"calibrate", "measure this node's ceilings and save the profile", NULL, 0,
		sd_cmd_calibrate, &sd_calibrate_options_argp, sd_calibrate_options_above, NULL,
		NULL},
	{"learn", "the workshop: broken and fixed programs, side by side", "Learn", 0,
		sd_cmd_learn, &sd_cmd_learn_argp, NULL, NULL, NULL},
	{"help", "a command, or a topic such as limits, explained", NULL, 1,
		sd_cmd_help, &sd_cmd_help_argp, NULL, sd_topics_list, NULL},
	{"import", "a record from counts measured elsewhere", "More", 1,
		sd_cmd_import, &sd_cmd_import_argp, NULL, NULL, NULL},
	{"fleet", "many nodes: calibrate them, find the odd one out", NULL, 0,
		sd_cmd_fleet, &sd_fleet_options_argp, NULL, NULL, NULL},
	{"events", "which hardware event stands for each role", NULL, 1,
		sd_cmd_events, &sd_cmd_events_argp, NULL, NULL, NULL},
	{"mcp", "serve an agent: the Model Context Protocol on stdin and stdout", NULL, 0,
		sd_cmd_mcp, &sd_cmd_mcp_argp, NULL, NULL, NULL},
	{"rank-agent", "measure one MPI rank where it runs; launchers start it", NULL, 0,
		sd_cmd_rank_agent, &sd_cmd_rank_agent_argp, NULL, NULL, NULL},
	{0},
};
/* clang-format on */

const struct sd_command *sd_command_find(const char *name)
{
	for (const struct sd_command *c = sd_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

int sd_command_mistyped(const char *word, const struct sd_sink *sink)
{
	struct sd_nearest n;
	char *path = NULL;
	int rc;

	if (*word == '-' || strchr(word, '/'))
		return 0;
	sd_nearest_begin(&n, word, strlen(word));
	for (const struct sd_command *c = sd_commands; c->name; c++)
		sd_nearest_try(&n, c->name);
	if (!n.best)
		return 0;
	rc = sd_program_path_find(word, NULL, environ, &path, NULL);
	free(path);
	if (rc != -ENOENT || access(word, F_OK) == 0)
		return 0;
	sd_say(sink, SD_LEVEL_ERROR,
		"'%s': no command, and no program in any folder of the PATH; did you mean "
		"'scalediag %s'?",
		word, n.best);
	return 1;
}
