/*
 * One message of JSON-RPC 2.0 (https://www.jsonrpc.org/specification), a line each, as the Model
 * Context Protocol has it on stdin and stdout. The bytes are untrusted.
 */
#ifndef SD_MCP_MESSAGE_H
#define SD_MCP_MESSAGE_H

#include <jansson.h>
#include <stddef.h>

/* Bytes of a line, at most; a longer one is refused. */
#define SD_MCP_MESSAGE_MOST (1u << 20)

/* How one is written: its ends of lines are escaped. */
#define SD_MCP_MESSAGE_DUMP (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9))

/* Codes of errors. */
enum {
	SD_MCP_PARSE_ERROR = -32700,
	SD_MCP_INVALID_REQUEST = -32600,
	SD_MCP_NO_METHOD = -32601,
	SD_MCP_INVALID_PARAMS = -32602,
};

enum sd_mcp_kind { SD_MCP_REQUEST, SD_MCP_NOTIFICATION, SD_MCP_RESPONSE, SD_MCP_BAD };

/* Zeroed is empty. */
struct sd_mcp_message {
	enum sd_mcp_kind kind;
	json_t *root; /* owned */
	/* All borrowed of the root. id: a string or an integer, of a bad message NULL if unknown;
	 * params: an object, or NULL. */
	json_t *id, *params;
	const char *method;
	int code;        /* of a bad one */
	const char *why; /* the same in words; static */
};

void sd_mcp_message_read(struct sd_mcp_message *m, const char *line, size_t n);
void sd_mcp_message_free(struct sd_mcp_message *m); /* accepts the zeroed value */

/* Answers: new references, or NULL without memory. `id` NULL is null; takes the result. */
json_t *sd_mcp_message_result(json_t *id, json_t *result);
json_t *sd_mcp_message_error(json_t *id, int code, const char *why);

#endif
