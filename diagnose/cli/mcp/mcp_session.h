/*
 * A session of the Model Context Protocol (https://modelcontextprotocol.io/specification, revision
 * 2025-11-25): what each message of a client does, and what is answered. Reads and starts nothing
 * by itself.
 */
#ifndef SD_MCP_SESSION_H
#define SD_MCP_SESSION_H

#include <jansson.h>

#include "mcp/mcp_message.h"
#include "mcp/mcp_tools.h"

struct sd_mcp_session {
	const struct sd_mcp_limits *limits;
	int initialized;
	/* Starts a command line, whose answer comes later under this id. NULL; or why not, static.
	 */
	const char *(*start)(void *ctx, json_t *id, const struct sd_mcp_tool *t,
		const struct sd_texts *argv, double seconds);
	/* The client does not want that answer any more; there may be no such call. */
	void (*cancel)(void *ctx, const json_t *id);
	void *ctx;
};

/* The answer to one line, a new reference; NULL: none is due now, or there is no memory. */
json_t *sd_mcp_session_take(struct sd_mcp_session *s, const char *line, size_t n);

/* The answer to a call: what its tool says, which it takes; or of NULL why there is nothing. */
json_t *sd_mcp_session_answer(json_t *id, json_t *says, const char *why);

#endif
