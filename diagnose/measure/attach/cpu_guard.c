#include "attach/cpu_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_end.h"

static size_t restore(const struct sd_cpu_guard *g)
{
	char label[sizeof g->program->label];
	size_t changed;

	return sd_mask_note_mend(g->note.fd, &changed, label, sizeof label);
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
		rc = sd_mask_note_open(&g->note);
	if (!rc)
		rc = start(g);
	if (rc) {
		sd_say(sink, SD_LEVEL_ERROR, "the CPUs of %s cannot be changed: %s", program->label,
			strerror(-rc));
		sd_mask_note_close(&g->note, 1);
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
		rc = sd_thread_masks_plan(&g->masks, g->program, cpus);
	if (!rc)
		rc = sd_mask_note_add(&g->note, &g->masks, g->program);
	if (!rc)
		rc = sd_thread_masks_narrow(&g->masks, g->program, cpus);
	if (!rc && g->masks.differs)
		rc = sd_mask_note_add(&g->note, &g->masks, g->program);
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
	/* one that was stopped never gives them back */
	if (sd_child_end_await(g->pid, SD_CHILD_END_S, &status) || !WIFEXITED(status) ||
		WEXITSTATUS(status))
		failed = restore(g);
	if (failed)
		sd_say(sink, SD_LEVEL_ERROR,
			"%zu threads of %s could not be given their CPUs back: look at them with "
			"taskset -ap",
			failed, g->program->label);
	sd_mask_note_close(&g->note, !failed);
	sd_thread_masks_free(&g->masks);
	*g = (struct sd_cpu_guard){0};
	return failed ? -EIO : 0;
}

int sd_cpu_guard_noted(int fd, const char *name, const struct sd_sink *sink)
{
	const int note = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	size_t changed = 0, failed;
	char label[320];

	if (note < 0)
		return errno == ENOENT ? 0 : -errno;
	failed = sd_mask_note_mend(note, &changed, label, sizeof label);
	close(note);
	if (changed)
		sd_say(sink, SD_LEVEL_WARNING,
			"a scalediag that was killed had left %s on fewer CPUs: %zu thread%s had "
			"theirs put back",
			label, changed, changed == 1 ? "" : "s");
	if (failed)
		sd_say(sink, SD_LEVEL_WARNING,
			"a scalediag that was killed had left %s on fewer CPUs, and %zu thread%s could "
			"not be put back: look at them with taskset -ap",
			label, failed, failed == 1 ? "" : "s");
	return failed ? -EIO : 0;
}
