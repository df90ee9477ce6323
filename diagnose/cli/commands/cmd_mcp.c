#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "help/command_help.h"
#include "mcp/mcp_server.h"
#include "options/command_line.h"

#define TIMEOUT_S 600.0
#define TIMEOUT_MOST_S 86400.0

/* Options without a letter. */
enum { TIMEOUT = 256, ALLOW_ROOT };

struct mcp_arguments {
	const char *folder;
	double timeout_s;
	int allow_root;
};

#define AT(field) .at = offsetof(struct mcp_arguments, field)
static const struct sd_option_place places[] = {
	{TIMEOUT, SD_OPTION_SECONDS, AT(timeout_s), 1, TIMEOUT_MOST_S},
	{ALLOW_ROOT, SD_OPTION_FLAG, AT(allow_root)},
	{ARGP_KEY_ARG, SD_OPTION_ONE, AT(folder), .what = "folder"},
	{0},
};

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
	.parser = sd_command_line_take,
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
	struct mcp_arguments a = {.timeout_s = TIMEOUT_S};
	struct sd_command_line line = {
		.name = "mcp", .argp = &sd_cmd_mcp_argp, .place = places, .into = &a};
	enum sd_exit status;

	return sd_command_help_parse(cli, &line, argc, argv, &status) ? serve(cli, &a) : status;
}
