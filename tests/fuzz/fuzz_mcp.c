/*
 * Lines of any bytes, as a client of `scalediag mcp` sends them, each taken as the server takes it,
 * but nothing is started. Every answer is a message of JSON-RPC; what would be started begins with
 * a command of ours, and names no file outside of the folder.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/mcp_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *start(void *ctx, json_t *id, const struct sd_mcp_tool *t,
	const struct sd_texts *argv, double seconds)
{
	(void)ctx;
	(void)t;
	if (!id || argv->n < 2 || !(seconds > 0) || strchr("rlcd", argv->text[0][0]) == NULL)
		abort();
	return "nothing is started here";
}

static void cancel(void *ctx, const json_t *id)
{
	(void)ctx;
	(void)id;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sd_mcp_limits limits = {.folder = "/proc/self", .timeout_s = 300};
	struct sd_mcp_session s = {.limits = &limits, .start = start, .cancel = cancel};
	const char *p = (const char *)data, *const end = p + size;

	while (p < end) {
		const char *const line = memchr(p, '\n', (size_t)(end - p));
		const size_t n = (size_t)((line ? line : end) - p);
		json_t *const answer = sd_mcp_session_take(&s, p, n);

		if (answer && (!json_object_get(answer, "id") ||
				      !json_object_get(answer, "result") ==
					      !json_object_get(answer, "error")))
			abort();
		json_decref(answer);
		p += n + 1;
	}
	return 0;
}
