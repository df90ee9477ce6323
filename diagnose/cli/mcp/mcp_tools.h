/*
 * The tools of `scalediag mcp`: each is one command line of scalediag's own, and what of its answer
 * is handed on.
 */
#ifndef SD_MCP_TOOLS_H
#define SD_MCP_TOOLS_H

#include <jansson.h>

#include "base/texts.h"

/* Bytes of an answer that is no brief one, about. */
#define SD_MCP_TOOLS_ANSWER 16384u

/* Limits of what the server may do; fixed when it starts. */
struct sd_mcp_limits {
	const char *folder; /* resolved; programs and records lie in it */
	double timeout_s;   /* of a call */
	int root;           /* it runs as root, which programs may not */
};

struct sd_mcp_tool;

/* The list of tools/list: a new reference, or NULL without memory. */
json_t *sd_mcp_tools_list(void);

/* NULL: there is no such tool. */
const struct sd_mcp_tool *sd_mcp_tools_find(const char *name);

/* Does it run the user's program? One such call is made at a time: two would disturb each other. */
int sd_mcp_tools_measures(const struct sd_mcp_tool *t);

/*
 * The command line for these arguments (NULL: none), without the program's name, appended to *argv;
 * and the seconds after which it is stopped. 0; -EINVAL with a sentence in why[256]; -ENOMEM.
 */
int sd_mcp_tools_command(const struct sd_mcp_tool *t, json_t *arguments,
	const struct sd_mcp_limits *limits, struct sd_texts *argv, double *seconds, char *why);

/* Picks what of a command's JSON answers the call; takes `printed`. A new reference or NULL. */
json_t *sd_mcp_tools_answer(const struct sd_mcp_tool *t, json_t *printed);

#endif
