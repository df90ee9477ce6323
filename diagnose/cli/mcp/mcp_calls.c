#include "mcp/mcp_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_end.h"
#include "base/clock.h"
#include "mcp/mcp_session.h"
#include "page/sanitize.h"

#define GRACE_S \
	20.0 /* from asking it to end to killing it: what it knows is reported, CPUs put back */
#define SAID 2000 /* bytes of its messages that are handed on, of the end */

/* ---- the process ----------------------------------------------------------------------------- */

/* In the child, until it is another program: its own group, which nobody's Ctrl-C reaches; it ends
 * with the server. */
static _Noreturn void become(
	char **argv, const char *folder, const int *out, const int *err, pid_t parent)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
		dup2(out[1], STDOUT_FILENO) >= 0 && dup2(err[1], STDERR_FILENO) >= 0 &&
		chdir(folder) == 0)
		execv("/proc/self/exe", argv);
	_exit(127);
}

static void close_both(int *fd)
{
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

static int open_pipe(int *fd)
{
	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	/* the reader waits for all calls at once */
	return fcntl(fd[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

static int start(struct sd_mcp_call *x, const struct sd_texts *argv, const char *folder)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1};
	char **const words = calloc(argv->n + 2, sizeof *words);
	static char name[] = "scalediag";
	const pid_t parent = getpid();
	int rc = words ? 0 : -ENOMEM;

	rc = rc ? rc : open_pipe(out);
	rc = rc ? rc : open_pipe(err);
	if (!rc) {
		words[0] = name;
		memcpy(words + 1, argv->text, argv->n * sizeof *words);
		x->pid = fork();
		if (x->pid == 0)
			become(words, folder, out, err, parent);
		rc = x->pid < 0 ? -errno : 0;
	}
	if (!rc) {
		x->out.fd = out[0];
		x->err.fd = err[0];
		out[0] = err[0] = -1;
	}
	close_both(out);
	close_both(err);
	free(words);
	return rc;
}

const char *sd_mcp_calls_start(struct sd_mcp_calls *c, json_t *id, const struct sd_mcp_tool *t,
	const struct sd_texts *argv, const char *folder, double seconds)
{
	struct sd_mcp_call *x = NULL;

	for (size_t i = 0; i < SD_MCP_CALLS; i++) {
		struct sd_mcp_call *const other = &c->call[i];

		if (!other->id)
			x = other;
		else if (json_equal(other->id, id))
			return "a call with this id is under way";
		else if (sd_mcp_tools_measures(other->tool) && sd_mcp_tools_measures(t))
			return "a diagnosis is under way, which another would disturb: wait for "
			       "it, or cancel it";
	}
	if (!x)
		return "too many calls are under way";
	*x = (struct sd_mcp_call){.tool = t, .limit_s = seconds, .until = sd_clock_s() + seconds};
	x->out.fd = x->err.fd = -1;
	if (start(x, argv, folder))
		return "no process could be started";
	x->id = json_incref(id);
	return NULL;
}

/* Asks it to end, or ends it. */
static void tell(struct sd_mcp_call *x)
{
	kill(x->told ? -x->pid : x->pid, x->told ? SIGKILL : SIGTERM);
	x->told++;
	x->until = sd_clock_s() + GRACE_S;
}

void sd_mcp_calls_cancel(struct sd_mcp_calls *c, const json_t *id)
{
	for (size_t i = 0; i < SD_MCP_CALLS; i++)
		if (c->call[i].id && json_equal(c->call[i].id, id) && !c->call[i].unwanted) {
			c->call[i].unwanted = 1;
			if (!c->call[i].told)
				tell(&c->call[i]);
		}
}

size_t sd_mcp_calls_end(struct sd_mcp_calls *c)
{
	size_t n = 0;

	for (size_t i = 0; i < SD_MCP_CALLS; i++) {
		if (c->call[i].id && sd_mcp_tools_measures(c->call[i].tool))
			sd_mcp_calls_cancel(c, c->call[i].id);
		n += c->call[i].id != NULL;
	}
	return n;
}

/* ---- what it printed ------------------------------------------------------------------------- */

static void close_printed(struct sd_mcp_printed *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->text);
	*p = (struct sd_mcp_printed){.fd = -1};
}

/* All that is there; beyond the most, and without memory, it is read and forgotten. */
static void take(struct sd_mcp_printed *p)
{
	char part[65536];
	ssize_t n;

	while (p->fd >= 0 && (n = read(p->fd, part, sizeof part)) != 0) {
		char *more;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			break;
		more = p->n + (size_t)n < SD_MCP_CALLS_PRINTED
			       ? realloc(p->text, p->n + (size_t)n + 1)
			       : NULL;
		if (!more)
			continue;
		p->text = more;
		memcpy(p->text + p->n, part, (size_t)n);
		p->n += (size_t)n;
		p->text[p->n] = '\0';
	}
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

/* The end of its messages, on one line: a fresh string or NULL. */
static char *said(const struct sd_mcp_call *x)
{
	const size_t from = x->err.n > SAID ? x->err.n - SAID : 0;
	char *const end = strdup(x->err.n ? x->err.text + from : ""), *clean;

	for (char *p = end; p && *p; p++)
		if (*p == '\n')
			*p = p[1] ? ' ' : '\0';
	clean = end ? sd_sanitize(end) : NULL;
	free(end);
	return clean;
}

static json_t *answer(const struct sd_mcp_call *x, int status)
{
	json_t *const printed =
		x->out.n ? json_loadb(x->out.text, x->out.n, JSON_REJECT_DUPLICATES, NULL) : NULL;
	char *messages, *why = NULL;
	json_t *out;

	if (x->unwanted) {
		json_decref(printed);
		return NULL;
	}
	if (json_is_object(printed))
		return sd_mcp_session_answer(x->id, sd_mcp_tools_answer(x->tool, printed), NULL);
	json_decref(printed);
	messages = said(x);
	if (x->told &&
		asprintf(&why, "stopped after %g s. %s", x->limit_s, messages ? messages : "") < 0)
		why = NULL;
	else if (!x->told && messages && !*messages &&
		 asprintf(&why, "it ended with status %d and said nothing",
			 WIFEXITED(status) ? WEXITSTATUS(status) : -1) < 0)
		why = NULL;
	out = sd_mcp_session_answer(x->id, NULL, why ? why : messages);
	free(why);
	free(messages);
	return out;
}

/* ---- all of them ----------------------------------------------------------------------------- */

size_t sd_mcp_calls_wait(const struct sd_mcp_calls *c, struct pollfd *p)
{
	size_t n = 0;

	for (size_t i = 0; i < SD_MCP_CALLS; i++) {
		const struct sd_mcp_call *const x = &c->call[i];

		if (x->id && x->out.fd >= 0)
			p[n++] = (struct pollfd){.fd = x->out.fd, .events = POLLIN};
		if (x->id && x->err.fd >= 0)
			p[n++] = (struct pollfd){.fd = x->err.fd, .events = POLLIN};
	}
	return n;
}

static void forget(struct sd_mcp_call *x)
{
	close_printed(&x->out);
	close_printed(&x->err);
	json_decref(x->id);
	*x = (struct sd_mcp_call){0};
}

json_t *sd_mcp_calls_step(struct sd_mcp_calls *c, size_t i)
{
	struct sd_mcp_call *const x = &c->call[i];
	int status = 0;
	json_t *out;

	if (!x->id)
		return NULL;
	take(&x->out);
	take(&x->err);
	if (waitpid(x->pid, &status, WNOHANG) != x->pid) {
		if (sd_clock_s() > x->until)
			tell(x);
		return NULL;
	}
	/* what it printed last */
	take(&x->out);
	take(&x->err);
	out = answer(x, status);
	forget(x);
	return out;
}

void sd_mcp_calls_close(struct sd_mcp_calls *c)
{
	for (size_t i = 0; i < SD_MCP_CALLS; i++)
		if (c->call[i].id)
			kill(c->call[i].pid, SIGTERM);
	for (size_t i = 0; i < SD_MCP_CALLS; i++) {
		if (!c->call[i].id)
			continue;
		(void)sd_child_end_await(c->call[i].pid, SD_CHILD_END_S, NULL);
		forget(&c->call[i]);
	}
}
