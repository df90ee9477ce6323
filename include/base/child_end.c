#include "base/child_end.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

#define PAUSE_NS 1000000L
#define GONE_S 1

/* 1: ended; 0: not until then; -errno. */
static int ends(pid_t pid, double limit_s, int *status)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	const double end = sd_clock_s() + limit_s;

	for (;;) {
		const pid_t ended = waitpid(pid, status, WNOHANG);

		if (ended == pid)
			return 1;
		if (ended < 0 && errno != EINTR)
			return -errno;
		if (sd_clock_s() >= end)
			return 0;
		nanosleep(&pause, NULL);
	}
}

int sd_child_end_await(pid_t pid, double limit_s, int *status)
{
	int how = 0, rc = ends(pid, limit_s, &how);

	if (rc > 0 && status)
		*status = how;
	if (rc)
		return rc > 0 ? 0 : rc;
	kill(pid, SIGKILL);
	rc = ends(pid, GONE_S, &how);
	return rc < 0 ? rc : -ETIMEDOUT;
}
