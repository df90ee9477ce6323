#include "cli/command.h"

#include <string.h>

#include "commands/commands.h"

/* `run` first: it is what a command line without a command means. */
const struct sd_command sd_commands[] = {
	{"run", "diagnose a program; the word may be left out", 0, sd_cmd_run},
	{"calibrate", "measure this node's ceilings and save the profile", 0, sd_cmd_calibrate},
	{"report", "analyse a record again", 1, sd_cmd_report},
	{"compare", "did the change help, and which cause moved?", 1, sd_cmd_compare},
	{"check", "for build servers: are requirements met?", 1, sd_cmd_check},
	{"events", "which hardware events stand for each role, and how they are encoded", 1,
		sd_cmd_events},
	{"doctor", "what can be measured here, what cannot, and what enables it", 0, sd_cmd_doctor},
	{"lines", "which cache lines the threads of a simulated run fight for", 1, sd_cmd_lines},
	{"learn", "the workshop: broken and fixed programs, side by side", 0, sd_cmd_learn},
	{"import", "a record from counts measured elsewhere, and its diagnosis", 1, sd_cmd_import},
	{0},
};

const struct sd_command *sd_command_find(const char *name)
{
	for (const struct sd_command *c = sd_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}
