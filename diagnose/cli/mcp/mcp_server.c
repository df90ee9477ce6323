#include "mcp/mcp_server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/mcp_calls.h"
#include "mcp/mcp_session.h"

/* A process that ended is seen after so long at the latest, also where another keeps its pipe. */
#define TICK_MS 250

struct server {
	const struct sd_mcp_limits *limits;
	struct sd_mcp_session session;
	struct sd_mcp_calls calls;
	char *line; /* that is not whole yet; owned */
	size_t n;   /* bytes of it */
	int skips;  /* it was too long: its rest is not kept */
	int at_end; /* of stdin: what was asked is answered, no program is run any more */
	int error;  /* errno of stdout; 0: it takes what is written */
};

/* ---- out ------------------------------------------------------------------------------------- */

/* Takes the message; NULL is none. */
static void put(struct server *s, json_t *message)
{
	errno = 0;
	if (message && (json_dumpf(message, stdout, SD_MCP_MESSAGE_DUMP) != 0 ||
			       putchar('\n') == EOF || fflush(stdout) != 0))
		s->error = errno ? errno : EIO;
	json_decref(message);
}

static const char *start(void *ctx, json_t *id, const struct sd_mcp_tool *t,
	const struct sd_texts *argv, double seconds)
{
	struct server *const s = ctx;

	return sd_mcp_calls_start(&s->calls, id, t, argv, s->limits->folder, seconds);
}

static void cancel(void *ctx, const json_t *id)
{
	struct server *const s = ctx;

	sd_mcp_calls_cancel(&s->calls, id);
}

/* ---- in -------------------------------------------------------------------------------------- */

static void end_line(struct server *s)
{
	if (s->skips)
		put(s, sd_mcp_message_error(
			       NULL, SD_MCP_INVALID_REQUEST, "a message has at most 1 MiB"));
	else if (s->n)
		put(s, sd_mcp_session_take(&s->session, s->line, s->n));
	s->n = 0;
	s->skips = 0;
}

static void add_bytes(struct server *s, const char *p, size_t n)
{
	char *more;

	if (s->skips || s->n + n > SD_MCP_MESSAGE_MOST) {
		s->skips = 1;
		return;
	}
	more = realloc(s->line, s->n + n + 1);
	if (!more) {
		s->skips = 1;
		return;
	}
	s->line = more;
	memcpy(s->line + s->n, p, n);
	s->n += n;
}

static int read_some(struct server *s)
{
	char part[65536], *from = part, *end;
	const ssize_t n = read(STDIN_FILENO, part, sizeof part);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	s->at_end = n == 0;
	while (n > 0 && (end = memchr(from, '\n', (size_t)(part + n - from)))) {
		add_bytes(s, from, (size_t)(end - from));
		end_line(s);
		from = end + 1;
	}
	if (n > 0)
		add_bytes(s, from, (size_t)(part + n - from));
	else
		end_line(s); /* the last one may have no end */
	return 0;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static int turn(struct server *s)
{
	struct pollfd p[1 + 2 * SD_MCP_CALLS] = {
		{.fd = s->at_end ? -1 : STDIN_FILENO, .events = POLLIN}};
	const size_t n = 1 + sd_mcp_calls_wait(&s->calls, p + 1);
	int rc = 0;

	if (poll(p, n, n > 1 ? TICK_MS : 1000) < 0 && errno != EINTR)
		return -errno;
	if (p[0].revents)
		rc = read_some(s);
	for (size_t i = 0; i < SD_MCP_CALLS; i++)
		put(s, sd_mcp_calls_step(&s->calls, i));
	return rc;
}

enum sd_exit sd_mcp_server_run(const struct sd_cli *cli, const struct sd_mcp_limits *limits)
{
	struct server s = {.limits = limits};
	int rc = 0;

	s.session = (struct sd_mcp_session){
		.limits = limits, .start = start, .cancel = cancel, .ctx = &s};
	while (!rc && !s.error && !*cli->stop && (!s.at_end || sd_mcp_calls_end(&s.calls)))
		rc = turn(&s);
	sd_mcp_calls_close(&s.calls);
	free(s.line);
	if (rc)
		sd_say(cli->sink, SD_LEVEL_ERROR, "standard input: %s", strerror(-rc));
	if (s.error)
		sd_say(cli->sink, SD_LEVEL_ERROR, "standard output: %s", strerror(s.error));
	if (*cli->stop)
		return SD_EXIT_INTERRUPTED;
	return rc || s.error ? SD_EXIT_MEASURE : SD_EXIT_DONE;
}
