#include "experiment/thief_process.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child_end.h"
#include "base/clock.h"

#define READY_S 20.0 /* to touch its memory */
#define ALONE_S 0.05 /* clocks and caches settle in it; a scheduler tick is a tenth of it */
#define LOOK_NS 2000000L

static _Noreturn void become_thief(pid_t parent, const struct sd_thief *thief,
	const struct sd_thief_ask *ask, struct sd_thief_shown *shown)
{
	static const int reset[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
	const struct sigaction dfl = {.sa_handler = SIG_DFL};

	/* dies with scalediag, even on SIGKILL */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_NAME, "scalediag-thief");
	setpgid(0, 0); /* a Ctrl-C is for scalediag, which ends it */
	for (size_t i = 0; i < sizeof reset / sizeof *reset; i++)
		sigaction(reset[i], &dfl, NULL);
	close_range(0, ~0u, 0); /* nobody's pipe is held open by it */
	thief->run(ask, shown);
	_exit(1);
}

/* 0 at work; -EINTR; what it said, or -ECHILD when it ended without a word. */
static int wait_ready(const struct sd_thief_process *r, const volatile sig_atomic_t *stop)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	const double end = sd_clock_s() + READY_S;

	for (;;) {
		const int ready = atomic_load(&r->shown->ready);

		if (ready)
			return ready < 0 ? ready : 0;
		if (stop && *stop)
			return -EINTR;
		if (waitpid(r->pid, NULL, WNOHANG) == r->pid)
			return -ECHILD;
		if (sd_clock_s() > end)
			return -ETIMEDOUT;
		nanosleep(&look, NULL);
	}
}

int sd_thief_process_begin(struct sd_thief_process *r, const struct sd_thief *thief,
	const struct sd_thief_ask *ask, const volatile sig_atomic_t *stop)
{
	const struct timespec alone = {.tv_nsec = (long)(ALONE_S * 1e9)};
	const pid_t self = getpid();
	int rc;

	*r = (struct sd_thief_process){0};
	r->shown = mmap(
		NULL, sizeof *r->shown, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->shown == MAP_FAILED) {
		r->shown = NULL;
		return -ENOMEM;
	}
	r->pid = fork();
	if (r->pid == 0)
		become_thief(self, thief, ask, r->shown);
	rc = r->pid < 0 ? -errno : wait_ready(r, stop);
	if (rc) {
		sd_thief_process_end(r);
		return rc;
	}
	sd_thief_process_mark(r);
	nanosleep(&alone, NULL);
	r->alone = sd_thief_process_rate(r);
	return 0;
}

void sd_thief_process_mark(struct sd_thief_process *r)
{
	r->since = sd_clock_s();
	r->moved = atomic_load(&r->shown->moved);
}

struct sd_value sd_thief_process_rate(const struct sd_thief_process *r)
{
	const double seconds = sd_clock_s() - r->since;
	const uint64_t moved = atomic_load(&r->shown->moved) - r->moved;

	/* it never stops by itself: no progress means it was killed or had no CPU */
	if (moved == 0 || seconds <= 0)
		return SD_NOT(ABSENT);
	return SD_OK((double)moved / seconds);
}

void sd_thief_process_end(struct sd_thief_process *r)
{
	if (r->pid > 0) {
		kill(r->pid, SIGKILL);
		(void)sd_child_end_await(r->pid, SD_CHILD_END_S, NULL);
	}
	if (r->shown)
		munmap(r->shown, sizeof *r->shown);
	*r = (struct sd_thief_process){0};
}
