#include "sweep/sweep_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define POLL_MS 200 /* a stop request and a timeout are seen after this time at most */
#define GRACE_S 5.0 /* between asking a command to end and ending it */
#define CHUNK 65536u

enum { OUT, ERR, STREAMS };

struct child {
	const char *host;
	pid_t pid; /* 0: free */
	int fd[STREAMS];
	char *text[STREAMS];
	size_t size[STREAMS];
	double begin, asked; /* to end, s; 0: not */
	const char *fate;    /* why it was ended; NULL */
};

/* In the child. What was caught is the default after exec; what was ignored is not. */
static void become(char *const *argv, int out, int err)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	const int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(127);
	execvp(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int start(struct child *c, const char *host, const struct sd_texts *words)
{
	char **const argv = calloc(words->n + 1, sizeof *argv);
	int pipes[STREAMS][2] = {{-1, -1}, {-1, -1}}, rc = argv ? 0 : -ENOMEM;

	*c = (struct child){.host = host, .begin = sd_clock_s(), .fd = {-1, -1}};
	for (size_t i = 0; argv && i < words->n; i++)
		argv[i] = words->text[i];
	for (int i = 0; rc == 0 && i < STREAMS; i++)
		rc = pipe2(pipes[i], O_CLOEXEC) == 0 ? 0 : -errno;
	if (rc == 0) {
		c->pid = fork();
		if (c->pid == 0)
			become(argv, pipes[OUT][1], pipes[ERR][1]);
		rc = c->pid < 0 ? -errno : 0;
	}
	for (int i = 0; i < STREAMS; i++) {
		if (pipes[i][1] >= 0)
			close(pipes[i][1]);
		if (rc && pipes[i][0] >= 0)
			close(pipes[i][0]);
		c->fd[i] = rc ? -1 : pipes[i][0];
	}
	if (rc)
		c->pid = 0;
	else
		setpgid(c->pid, c->pid);
	free(argv);
	return rc;
}

static void ask_to_end(struct child *c, const char *fate)
{
	const double now = sd_clock_s();

	if (!c->asked) {
		c->asked = now;
		c->fate = fate;
		kill(-c->pid, SIGTERM);
	} else if (now - c->asked > GRACE_S) {
		kill(-c->pid, SIGKILL);
	}
}

/* One read; the end of the stream closes it. Standard error keeps its last part. */
static void take(struct child *c, int stream)
{
	const size_t max = stream == OUT ? SD_SWEEP_PRINTED_MAX : CHUNK;
	char *grown;
	ssize_t got;

	if (stream == ERR && c->size[ERR] >= CHUNK) {
		memmove(c->text[ERR], c->text[ERR] + CHUNK / 2, c->size[ERR] - CHUNK / 2);
		c->size[ERR] -= CHUNK / 2;
	}
	grown = c->size[stream] < max ? realloc(c->text[stream], c->size[stream] + CHUNK + 1)
				      : NULL;
	if (!grown) {
		ask_to_end(c, c->size[stream] < max ? "out of memory" : "it prints too much");
		close(c->fd[stream]);
		c->fd[stream] = -1;
		return;
	}
	c->text[stream] = grown;
	got = read(c->fd[stream], grown + c->size[stream], CHUNK);
	if (got > 0) {
		c->size[stream] += (size_t)got;
	} else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
		close(c->fd[stream]);
		c->fd[stream] = -1;
	}
	grown[c->size[stream]] = '\0';
}

/* The last line that says something. */
static void last_words(const struct child *c, char *out, size_t size)
{
	const char *const text = c->text[ERR];
	size_t end = c->size[ERR], from;

	while (end && strchr(" \t\r\n", text[end - 1]))
		end--;
	for (from = end; from && text[from - 1] != '\n';)
		from--;
	if (end > from)
		snprintf(out, size, "%.*s", (int)(end - from), text + from);
}

static void describe(const struct child *c, int status, char why[256])
{
	why[0] = '\0';
	if (c->fate) {
		snprintf(why, 256, "%s", c->fate);
		return;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	last_words(c, why, 256);
	if (why[0])
		return;
	if (WIFSIGNALED(status))
		snprintf(why, 256, "ended by signal %d", WTERMSIG(status));
	else
		snprintf(why, 256, "exit status %d", WEXITSTATUS(status));
}

static void release(struct child *c)
{
	for (int i = 0; i < STREAMS; i++) {
		if (c->fd[i] >= 0)
			close(c->fd[i]);
		free(c->text[i]);
	}
	*c = (struct child){.fd = {-1, -1}};
}

/* All streams of all children, for one poll. */
static void wait_for_some(struct child *child, unsigned n)
{
	struct pollfd *const p = calloc((size_t)n * STREAMS, sizeof *p);
	nfds_t open = 0;

	for (unsigned i = 0; p && i < n; i++)
		for (int s = 0; s < STREAMS; s++)
			if (child[i].pid && child[i].fd[s] >= 0)
				p[open++] = (struct pollfd){.fd = child[i].fd[s], .events = POLLIN};
	poll(p, open, POLL_MS);
	open = 0;
	for (unsigned i = 0; p && i < n; i++)
		for (int s = 0; s < STREAMS; s++)
			if (child[i].pid && child[i].fd[s] >= 0 && p[open++].revents)
				take(&child[i], s);
	free(p);
}

/* 1: it has ended and was handed over, with what done() returned in *rc. */
static int collect(struct child *c, const struct sd_sweep *sweep, int *rc)
{
	struct sd_sweep_outcome o = {.host = c->host};
	int status;

	/* a grandchild that kept a stream open does not keep us from an end */
	if (waitpid(c->pid, &status, WNOHANG) != c->pid)
		return 0;
	while (c->fd[OUT] >= 0 &&
		poll(&(struct pollfd){.fd = c->fd[OUT], .events = POLLIN}, 1, 0) > 0)
		take(c, OUT);
	while (c->fd[ERR] >= 0 &&
		poll(&(struct pollfd){.fd = c->fd[ERR], .events = POLLIN}, 1, 0) > 0)
		take(c, ERR);
	o.printed = c->text[OUT] ? c->text[OUT] : "";
	o.size = c->size[OUT];
	describe(c, status, o.why);
	if (*rc == 0)
		*rc = sweep->done(sweep->ctx, &o);
	release(c);
	return 1;
}

/* A command that cannot be started is an outcome, too. */
static int start_next(struct child *c, const struct sd_sweep *sweep, const char *host)
{
	struct sd_sweep_outcome o = {.host = host, .printed = ""};
	struct sd_texts argv = {.n = 0};
	int rc = sweep->command(sweep->ctx, host, &argv), failed = 0;

	if (rc == 0)
		failed = start(c, host, &argv);
	sd_texts_free(&argv);
	if (failed) {
		snprintf(o.why, sizeof o.why, "no process can be started here: %s",
			strerror(-failed));
		rc = sweep->done(sweep->ctx, &o);
	}
	return rc;
}

static int stopped(const struct sd_sweep *sweep)
{
	return sweep->stop && *sweep->stop;
}

int sd_sweep_run(const struct sd_sweep *sweep)
{
	struct child *const child = calloc(sweep->at_once, sizeof *child);
	size_t next = 0;
	unsigned running = 0;
	int rc = child ? 0 : -ENOMEM;

	do {
		for (unsigned i = 0; child && i < sweep->at_once; i++) {
			if (rc == 0 && stopped(sweep))
				rc = -EINTR;
			if (!child[i].pid && rc == 0 && next < sweep->hosts->n) {
				rc = start_next(&child[i], sweep, sweep->hosts->text[next++]);
				running += child[i].pid != 0;
			}
			if (!child[i].pid)
				continue;
			if (rc)
				ask_to_end(&child[i], "stopped");
			else if (child[i].asked || sd_clock_s() - child[i].begin > sweep->timeout)
				ask_to_end(&child[i], "it took too long");
		}
		if (running)
			wait_for_some(child, sweep->at_once);
		for (unsigned i = 0; child && i < sweep->at_once; i++)
			if (child[i].pid)
				running -= (unsigned)collect(&child[i], sweep, &rc);
	} while (running || (rc == 0 && next < sweep->hosts->n));
	free(child);
	return rc;
}

/* ---- one ------------------------------------------------------------------------------------- */

struct one {
	const struct sd_texts *argv;
	char **printed, *why;
	size_t *size;
};

static int own_command(void *ctx, const char *host, struct sd_texts *argv)
{
	const struct one *const one = ctx;
	int rc = 0;

	(void)host;
	for (size_t i = 0; rc == 0 && i < one->argv->n; i++)
		rc = sd_texts_add(argv, "%s", one->argv->text[i]);
	return rc;
}

static int keep_printed(void *ctx, const struct sd_sweep_outcome *o)
{
	struct one *const one = ctx;

	memcpy(one->why, o->why, sizeof o->why);
	*one->printed = malloc(o->size + 1);
	if (!*one->printed)
		return -ENOMEM;
	memcpy(*one->printed, o->printed, o->size);
	(*one->printed)[o->size] = '\0';
	*one->size = o->size;
	return o->why[0] ? -ECHILD : 0;
}

int sd_sweep_run_one(const struct sd_texts *argv, double timeout, const volatile sig_atomic_t *stop,
	char **printed, size_t *size, char why[256])
{
	struct one one = {argv, printed, why, size};
	const struct sd_texts here = {.text = (char *[]){argv->text[0]}, .n = 1};
	const struct sd_sweep sweep = {.hosts = &here,
		.at_once = 1,
		.timeout = timeout,
		.stop = stop,
		.command = own_command,
		.done = keep_printed,
		.ctx = &one};

	*printed = NULL;
	*size = 0;
	why[0] = '\0';
	return sd_sweep_run(&sweep);
}
