#include "mcp/mcp_session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/json_values.h"

/* Revisions with what is used of it, newest first. 2025-03-26 has batches, which nobody sends. */
static const char *const revisions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};

static const char instructions[] =
	"diagnose a program at several core counts first. Its causes are numbered, the most "
	"costly first; evidence and source tell more of one. Change the program by the fix, "
	"diagnose again, and compare. Amounts are in cores of the largest count, with 95 % "
	"intervals; null is not measured, which is not zero.";

static json_t *initialize(struct sd_mcp_session *s, const struct sd_mcp_message *m)
{
	const char *const asked = json_string_value(json_object_get(m->params, "protocolVersion"));
	const char *revision = revisions[0];

	for (size_t i = 0; asked && i < sizeof revisions / sizeof *revisions; i++)
		if (strcmp(asked, revisions[i]) == 0)
			revision = revisions[i];
	if (!asked)
		return sd_mcp_message_error(
			m->id, SD_MCP_INVALID_PARAMS, "protocolVersion must be a string");
	s->initialized = 1;
	return sd_mcp_message_result(m->id,
		sd_json("protocolVersion", revision, "capabilities",
			sd_json("tools", sd_json("listChanged", json_boolean(0))), "serverInfo",
			sd_json("name", "scalediag", "title",
				"scalediag: why a program does not scale", "version", SD_VERSION),
			"instructions", instructions));
}

json_t *sd_mcp_session_answer(json_t *id, json_t *says, const char *why)
{
	char *const text = says ? json_dumps(says, SD_MCP_MESSAGE_DUMP) : NULL;
	json_t *const out = sd_json("content",
		sd_json_list(sd_json("type", "text", "text",
			text  ? text
			: why ? why
			      : "out of memory")),
		"isError", json_boolean(!text), "?structuredContent", says);

	free(text);
	return sd_mcp_message_result(id, out);
}

static json_t *call(struct sd_mcp_session *s, const struct sd_mcp_message *m)
{
	const char *const name = json_string_value(json_object_get(m->params, "name"));
	json_t *const arguments = json_object_get(m->params, "arguments");
	const struct sd_mcp_tool *const tool = name ? sd_mcp_tools_find(name) : NULL;
	struct sd_texts argv = {0};
	const char *refused = NULL;
	char why[256] = "";
	double seconds;
	int rc;

	if (!tool)
		return sd_mcp_message_error(
			m->id, SD_MCP_INVALID_PARAMS, "no such tool: tools/list names them");
	if (arguments && !json_is_object(arguments))
		return sd_mcp_message_error(
			m->id, SD_MCP_INVALID_PARAMS, "arguments must be an object");
	rc = sd_mcp_tools_command(tool, arguments, s->limits, &argv, &seconds, why);
	if (!rc)
		refused = s->start(s->ctx, m->id, tool, &argv, seconds);
	sd_texts_free(&argv);
	if (rc == -EINVAL)
		return sd_mcp_session_answer(m->id, NULL, why);
	return rc || refused ? sd_mcp_session_answer(m->id, NULL, refused) : NULL;
}

static json_t *request(struct sd_mcp_session *s, const struct sd_mcp_message *m)
{
	if (strcmp(m->method, "initialize") == 0)
		return initialize(s, m);
	if (strcmp(m->method, "ping") == 0)
		return sd_mcp_message_result(m->id, json_object());
	if (!s->initialized)
		return sd_mcp_message_error(
			m->id, SD_MCP_INVALID_REQUEST, "initialize comes first");
	if (strcmp(m->method, "tools/list") == 0)
		return sd_mcp_message_result(m->id, sd_json("tools", sd_mcp_tools_list()));
	if (strcmp(m->method, "tools/call") == 0)
		return call(s, m);
	return sd_mcp_message_error(m->id, SD_MCP_NO_METHOD, "no such method");
}

json_t *sd_mcp_session_take(struct sd_mcp_session *s, const char *line, size_t n)
{
	struct sd_mcp_message m;
	json_t *out = NULL;

	sd_mcp_message_read(&m, line, n);
	if (m.kind == SD_MCP_BAD)
		out = sd_mcp_message_error(m.id, m.code, m.why);
	else if (m.kind == SD_MCP_REQUEST)
		out = request(s, &m);
	else if (m.kind == SD_MCP_NOTIFICATION && strcmp(m.method, "notifications/cancelled") == 0)
		s->cancel(s->ctx, json_object_get(m.params, "requestId"));
	sd_mcp_message_free(&m);
	return out;
}
