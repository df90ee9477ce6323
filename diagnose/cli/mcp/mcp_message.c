#include "mcp/mcp_message.h"

#include "render/json_values.h"

static void refuse(struct sd_mcp_message *m, int code, const char *why)
{
	m->kind = SD_MCP_BAD;
	m->code = code;
	m->why = why;
}

static void check(struct sd_mcp_message *m)
{
	const char *const version = json_string_value(json_object_get(m->root, "jsonrpc"));
	json_t *const id = json_object_get(m->root, "id");

	m->params = json_object_get(m->root, "params");
	m->method = json_string_value(json_object_get(m->root, "method"));
	if (json_is_string(id) || json_is_integer(id))
		m->id = id;
	if (!version || version[0] != '2' || version[1] != '.' || version[2] != '0' || version[3])
		refuse(m, SD_MCP_INVALID_REQUEST, "jsonrpc must be \"2.0\"");
	else if (m->id && (json_object_get(m->root, "result") || json_object_get(m->root, "error")))
		m->kind = SD_MCP_RESPONSE;
	else if (!m->method)
		refuse(m, SD_MCP_INVALID_REQUEST, "method must be a string");
	else if (id && !m->id)
		refuse(m, SD_MCP_INVALID_REQUEST, "id must be a string or an integer");
	else if (m->params && !json_is_object(m->params))
		refuse(m, SD_MCP_INVALID_PARAMS, "params must be an object");
	else
		m->kind = m->id ? SD_MCP_REQUEST : SD_MCP_NOTIFICATION;
}

void sd_mcp_message_read(struct sd_mcp_message *m, const char *line, size_t n)
{
	json_error_t error;

	*m = (struct sd_mcp_message){0};
	if (n > SD_MCP_MESSAGE_MOST) {
		refuse(m, SD_MCP_INVALID_REQUEST, "a message has at most 1 MiB");
		return;
	}
	m->root = json_loadb(line, n, JSON_REJECT_DUPLICATES, &error);
	if (!m->root)
		refuse(m, SD_MCP_PARSE_ERROR, "not JSON: a message is one line");
	else if (!json_is_object(m->root))
		refuse(m, SD_MCP_INVALID_REQUEST, "a message is an object; there are no batches");
	else
		check(m);
}

void sd_mcp_message_free(struct sd_mcp_message *m)
{
	json_decref(m->root);
	*m = (struct sd_mcp_message){0};
}

static json_t *put_id(json_t *id)
{
	return id ? json_incref(id) : json_null();
}

json_t *sd_mcp_message_result(json_t *id, json_t *result)
{
	return sd_json("jsonrpc", "2.0", "id", put_id(id), "result", result);
}

json_t *sd_mcp_message_error(json_t *id, int code, const char *why)
{
	return sd_json(
		"jsonrpc", "2.0", "id", put_id(id), "error", sd_json("code", code, "message", why));
}
