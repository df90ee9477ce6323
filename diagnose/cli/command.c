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
	{"run", "diagnose a program; the word may be left out", 0,
		sd_cmd_run, &sd_run_options_argp, sd_run_options_above, sd_run_options_below},
	{"attach", "look at a program that runs already", 0,
		sd_cmd_attach, &sd_attach_options_argp, NULL, NULL},
	{"calibrate", "measure this node's ceilings and save the profile", 0,
		sd_cmd_calibrate, &sd_calibrate_options_argp, sd_calibrate_options_above, NULL},
	{"report", "analyse a record again", 1,
		sd_cmd_report, &sd_cmd_report_argp, sd_cmd_report_above, NULL},
	{"compare", "did the change help, and which cause moved?", 1,
		sd_cmd_compare, &sd_cmd_compare_argp, NULL, NULL},
	{"history", "how scaling and its main cause changed from commit to commit", 1,
		sd_cmd_history, &sd_cmd_history_argp, NULL, NULL},
	{"fleet", "many nodes: calibrate them, find the odd one out", 0,
		sd_cmd_fleet, &sd_fleet_options_argp, NULL, NULL},
	{"check", "for build servers: are requirements met?", 1,
		sd_cmd_check, &sd_cmd_check_argp, NULL, NULL},
	{"events", "which hardware events stand for each role, and how they are encoded", 1,
		sd_cmd_events, &sd_cmd_events_argp, NULL, NULL},
	{"doctor", "what can be measured here, what cannot, and what enables it", 0,
		sd_cmd_doctor, &sd_cmd_doctor_argp, NULL, NULL},
	{"lines", "which cache lines the threads of a simulated run fight for", 1,
		sd_cmd_lines, &sd_cmd_lines_argp, NULL, NULL},
	{"learn", "the workshop: broken and fixed programs, side by side", 0,
		sd_cmd_learn, &sd_cmd_learn_argp, NULL, NULL},
	{"import", "a record from counts measured elsewhere, and its diagnosis", 1,
		sd_cmd_import, &sd_cmd_import_argp, NULL, NULL},
	{"rank-agent", "measure one MPI rank where it runs; launchers start it", 0,
		sd_cmd_rank_agent, &sd_cmd_rank_agent_argp, NULL, NULL},
	{"help", "a command, or a topic such as experiments or limits, explained", 1,
		sd_cmd_help, &sd_cmd_help_argp, NULL, sd_topics_list},
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
