#include "learn/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_end.h"

/* Waits for the child, and passes on each wish to stop. One that was stopped goes on: it is in a
 * group of its own, so that the terminal stops this process alone. */
static enum sd_exit wait_for(const struct sd_cli *cli, pid_t pid)
{
	const int fd = pidfd_open(pid, 0);
	sig_atomic_t told = 0;
	int status = 0;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		const pid_t ended = waitpid(pid, &status, WNOHANG | WUNTRACED);

		if (ended == pid && !WIFSTOPPED(status))
			break;
		if (ended == pid)
			kill(pid, SIGCONT);
		if (ended < 0 && errno != EINTR) {
			status = SD_EXIT_MEASURE << 8; /* how it ended is not known */
			break;
		}
		if (told < *cli->stop) {
			/* who asks again and again wants it, whatever has stopped it */
			kill(pid, ++told > 2 ? SIGKILL : SIGTERM);
		}
		/* a signal ends it at once; half a second is for one that came just before */
		poll(&p, 1, 500);
	}
	if (fd >= 0)
		close(fd);
	if (*cli->stop)
		return SD_EXIT_INTERRUPTED;
	return WIFEXITED(status) ? (enum sd_exit)WEXITSTATUS(status) : SD_EXIT_MEASURE;
}

/*
 * A process of its own, in a group that the terminal's Ctrl-C does not reach, so that a wish to
 * stop comes once; ends with this one. 0 in the child.
 */
static pid_t split(void)
{
	const pid_t parent = getpid();
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid != 0)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(SD_EXIT_INTERRUPTED);
	return 0;
}

static enum sd_exit cannot_fork(const struct sd_cli *cli)
{
	sd_say(cli->sink, SD_LEVEL_ERROR, "cannot start a process: %s", strerror(errno));
	return SD_EXIT_MEASURE;
}

/* How to go on with a record is no advice where the record goes with the lesson. */
static void unless_stopped(void *ctx, enum sd_level level, const char *text)
{
	const struct sd_cli *const cli = ctx;

	if (!*cli->stop)
		cli->sink->emit(cli->sink->ctx, level, text);
}

enum sd_exit sd_child_process_exec(const struct sd_cli *cli, const char *path, char **argv)
{
	const pid_t pid = split();

	if (pid < 0)
		return cannot_fork(cli);
	if (pid == 0) {
		execv(path, argv);
		_exit(127);
	}
	return wait_for(cli, pid);
}

enum sd_exit sd_child_process_quiet(
	const struct sd_cli *cli, const char *path, char **argv, const cpu_set_t *cpus)
{
	const pid_t pid = split();

	if (pid < 0)
		return cannot_fork(cli);
	if (pid == 0) {
		const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
			(!cpus || sched_setaffinity(0, sizeof *cpus, cpus) == 0))
			execv(path, argv);
		_exit(127);
	}
	return wait_for(cli, pid);
}

enum sd_exit sd_child_process_into(
	const struct sd_cli *cli, const char *path, char **argv, const char *folder, int out)
{
	return sd_child_process_limited(cli, path, argv, folder, out, 0);
}

enum sd_exit sd_child_process_limited(const struct sd_cli *cli, const char *path, char **argv,
	const char *folder, int out, unsigned seconds)
{
	const pid_t pid = split();

	if (pid < 0)
		return cannot_fork(cli);
	if (pid == 0) {
		const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
			(!folder || chdir(folder) == 0)) {
			alarm(seconds); /* outlives exec (POSIX) */
			execvp(path, argv);
		}
		_exit(127);
	}
	return wait_for(cli, pid);
}

pid_t sd_child_process_start(const struct sd_cli *cli, const char *path, char **argv,
	const char *name, const char *value)
{
	const pid_t pid = split();

	if (pid < 0)
		cannot_fork(cli);
	if (pid == 0) {
		const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0 && setenv(name, value, 1) == 0)
			execv(path, argv);
		_exit(127);
	}
	return pid;
}

void sd_child_process_end(pid_t pid)
{
	if (pid < 0)
		return;
	kill(pid, SIGTERM);
	(void)sd_child_end_await(pid, SD_CHILD_END_S, NULL);
}

static const struct sd_command *find(const struct sd_command *commands, const char *name)
{
	while (strcmp(commands->name, name) != 0)
		commands++;
	return commands;
}

enum sd_exit sd_child_process_run(const struct sd_cli *cli, int argc, char **argv)
{
	struct sd_cli outer = *cli, inner = *cli;
	const struct sd_sink sink = {unless_stopped, &outer};
	const pid_t pid = split();

	if (pid < 0)
		return cannot_fork(cli);
	if (pid == 0) {
		const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		enum sd_exit status = SD_EXIT_MEASURE;

		inner.sink = &sink;
		if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
			status = find(cli->commands, argv[0])->run(&inner, argc, argv);
		sd_progress_line_clear(cli->line);
		fflush(NULL);
		_exit((int)status);
	}
	return wait_for(cli, pid);
}
