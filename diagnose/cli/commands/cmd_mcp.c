#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "help/command_help.h"
#include "mcp/mcp_server.h"
#include "options/command_line.h"
#include "options/common_values.h"

#define TIMEOUT_S 600.0
#define TIMEOUT_MOST_S 86400.0

/* Options without a letter. */
enum { TIMEOUT = 256, ALLOW_ROOT };

struct mcp_arguments {
	const struct sd_sink *sink;
	const char *folder;
	double timeout_s;
	int allow_root;
	enum sd_asked asked;
};

static error_t handle(int key, char *value, struct argp_state *state)
{
	struct mcp_arguments *const a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		return sd_command_line_begin(state, &a->asked);
	case TIMEOUT:
		return sd_common_values_seconds(
			a->sink, "timeout", value, 1, TIMEOUT_MOST_S, &a->timeout_s);
	case ALLOW_ROOT:
		a->allow_root = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (a->folder) {
			sd_say(a->sink, SD_LEVEL_ERROR, "'%s': one folder, after '%s'", value,
				a->folder);
			return EINVAL;
		}
		a->folder = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"timeout", TIMEOUT, "SECONDS", 0,
		"No call takes longer, and no diagnosis measures longer, whose report may come a "
		"minute later: 600 is the default. One asked for without a limit takes 120",
		1},
	{"allow-root", ALLOW_ROOT, NULL, 0, "Run programs also where the server is root", 1},
	{0},
};
const struct argp sd_cmd_mcp_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "[FOLDER]",
	.doc = "scalediag mcp serves an agent: the Model Context Protocol on stdin and stdout, a JSON "
	       "message a\nline. Its tools diagnose a program, show the evidence, the source and the "
	       "contested cache lines\nof a cause, compare two records, say what to do next and what "
	       "can be measured here. The answers\nare those of --brief.\n"
	       "\n"
	       "  scalediag mcp                    for the current folder\n"
	       "  scalediag mcp --timeout 5m app   for the folder app\n"
	       "\n"
	       "It runs programs of FOLDER alone, and reads records there alone. In the settings of a "
	       "client:\n"
	       "\n"
	       "  {\"mcpServers\": {\"scalediag\": {\"command\": \"scalediag\", \"args\": "
	       "[\"mcp\", \"FOLDER\"]}}}\n",
	.children = sd_command_line_common,
};

static enum sd_exit serve(const struct sd_cli *cli, const struct mcp_arguments *a)
{
	char *const folder = realpath(a->folder ? a->folder : ".", NULL);
	const struct sd_mcp_limits limits = {.folder = folder,
		.timeout_s = a->timeout_s,
		.root = geteuid() == 0 && !a->allow_root};
	enum sd_exit status = SD_EXIT_USAGE;
	struct stat st;

	if (!folder || stat(folder, &st) < 0)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", a->folder ? a->folder : ".",
			strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: is no folder", a->folder);
	else
		status = sd_mcp_server_run(cli, &limits);
	free(folder);
	return status;
}

enum sd_exit sd_cmd_mcp(const struct sd_cli *cli, int argc, char **argv)
{
	struct mcp_arguments a = {.sink = cli->sink, .timeout_s = TIMEOUT_S};

	if (sd_command_line_parse("mcp", &sd_cmd_mcp_argp, 0, argc, argv, &a, cli->sink) != 0)
		return SD_EXIT_USAGE;
	return a.asked ? sd_command_help_answer(cli, "mcp", a.asked) : serve(cli, &a);
}
