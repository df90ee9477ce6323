#include "attach/cpu_guard.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Threads and processes that are made while others get their CPUs back: again, until there are no
 * more than there were. */
#define ROUNDS 8

static size_t restore(const struct sd_cpu_guard *g)
{
	size_t failed = 0, before = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (sd_attached_refresh(g->program) == -ESRCH)
			return 0; /* it has ended: there is nobody to give them back to */
		failed = sd_thread_masks_restore(&g->masks, g->program);
		if (g->program->n == before)
			break;
		before = g->program->n;
	}
	return failed;
}

static _Noreturn void stand_guard(const struct sd_cpu_guard *g, int socket)
{
	sigset_t all;
	char c;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	(void)setsid(); /* no terminal's signal, nor its end, is for the guard */
	prctl(PR_SET_NAME, "scalediag-guard");
	while (read(socket, &c, 1) < 0 && errno == EINTR)
		;
	_exit(restore(g) ? 1 : 0);
}

static int start(struct sd_cpu_guard *g)
{
	sigset_t all, before;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	g->pid = fork();
	if (g->pid == 0) {
		close(pair[0]);
		stand_guard(g, pair[1]);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(pair[1]);
	if (g->pid < 0) {
		const int rc = -errno;

		close(pair[0]);
		g->pid = 0;
		return rc;
	}
	g->socket = pair[0];
	return 0;
}

int sd_cpu_guard_open(
	struct sd_cpu_guard *g, struct sd_attached *program, const struct sd_sink *sink)
{
	int rc;

	*g = (struct sd_cpu_guard){.program = program, .socket = -1};
	rc = sd_thread_masks_save(&g->masks, program);
	if (!rc)
		rc = start(g);
	if (rc) {
		sd_say(sink, SD_LEVEL_ERROR, "the CPUs of %s cannot be changed: %s", program->label,
			strerror(-rc));
		sd_thread_masks_free(&g->masks);
		*g = (struct sd_cpu_guard){0};
	}
	return rc;
}

int sd_cpu_guard_narrow(
	struct sd_cpu_guard *g, const struct sd_cpulist *cpus, const struct sd_sink *sink)
{
	int rc = sd_attached_refresh(g->program);

	if (!rc)
		rc = sd_thread_masks_narrow(&g->masks, g->program, cpus);
	if (rc == -EPERM)
		sd_say(sink, SD_LEVEL_ERROR,
			"the CPUs of %s may not be changed: only its user, and root, may",
			g->program->label);
	else if (rc == -ESRCH)
		sd_say(sink, SD_LEVEL_ERROR, "%s has ended while it was looked at",
			g->program->label);
	else if (rc)
		sd_say(sink, SD_LEVEL_ERROR, "the CPUs of %s cannot be changed: %s",
			g->program->label, strerror(-rc));
	return rc;
}

int sd_cpu_guard_close(struct sd_cpu_guard *g, const struct sd_sink *sink)
{
	size_t failed = 0;
	int status = 0;

	if (!g->pid)
		return 0;
	close(g->socket);
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		failed = restore(g);
	if (failed)
		sd_say(sink, SD_LEVEL_ERROR,
			"%zu threads of %s could not be given their CPUs back: look at them with "
			"taskset -ap",
			failed, g->program->label);
	sd_thread_masks_free(&g->masks);
	*g = (struct sd_cpu_guard){0};
	return failed ? -EIO : 0;
}
