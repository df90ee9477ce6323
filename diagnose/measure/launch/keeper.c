#include "launch/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/descendants.h"
#include "launch/reaper.h"

#define SLACK_MS 5000u /* that a keeper may be late, on a machine with other things to do */
#define LOOK_MS 100u
/* One that works (it used so much CPU time in the last of these times) is slow and not stuck: a
 * tree of hundreds on a busy or emulated machine. So often at most. */
#define WORKS_NS 10000000u
#define MORE_TIMES 12u

static uint64_t in_ms(unsigned ms)
{
	return sd_clock_ns() + ms * UINT64_C(1000000);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Above 2, so that the program's standard descriptors can be put there. 0 or -errno. */
static int lift(int *fd)
{
	int higher;

	if (*fd > 2)
		return 0;
	higher = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (higher < 0)
		return -errno;
	close(*fd);
	*fd = higher;
	return 0;
}

static int open_channels(int *pair, int *gate, int *exec)
{
	int rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) || pipe2(exec, O_CLOEXEC))
		return -errno;
	for (int i = 0; i < 2; i++)
		if ((rc = lift(&pair[i])) || (rc = lift(&gate[i])) || (rc = lift(&exec[i])))
			return rc;
	return 0;
}

/* Forks the keeper with every signal blocked, so that no handler of ours runs in it. */
static pid_t fork_keeper(const struct sd_keeper *k, const struct sd_reaper *reaper)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0) {
		close(k->socket); /* or the keeper would never see its end */
		sd_reaper_run(reaper);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid < 0 ? -errno : pid;
}

static int map_clock(struct sd_keeper *k)
{
	void *page = mmap(
		NULL, sizeof *k->clock, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return -errno;
	k->clock = page;
	return 0;
}

static int start(struct sd_keeper *k, const struct sd_reaper *reaper)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	k->keeper = fork_keeper(k, reaper);
	return k->keeper < 0 ? k->keeper : 0;
}

/* The keeper's first word, which it must say in time. */
static int await_start(struct sd_keeper *k, struct sd_keeper_report *started)
{
	k->limit_ns = in_ms(SD_REAPER_GIVE_UP_MS + SLACK_MS);
	while (!sd_keeper_wait(k, in_ms(LOOK_MS)))
		;
	k->limit_ns = UINT64_MAX;
	return sd_keeper_report(k, started);
}

int sd_keeper_open(struct sd_keeper *k, const struct sd_keeper_spec *spec)
{
	struct sd_reaper reaper = {.spec = spec, .socket = -1, .gate = {-1, -1}, .exec = {-1, -1}};
	int pair[2] = {-1, -1}, rc;
	struct sd_keeper_report started;

	*k = SD_KEEPER_NONE;
	prctl(PR_GET_CHILD_SUBREAPER, &k->subreaper);
	rc = open_channels(pair, reaper.gate, reaper.exec);
	k->socket = pair[0];
	k->gate = reaper.gate[1];
	k->exec = reaper.exec[0];
	reaper.socket = pair[1];
	if (!rc)
		rc = map_clock(k);
	reaper.clock = k->clock;
	if (!rc)
		rc = start(k, &reaper);
	close_fd(&reaper.socket);
	close_fd(&reaper.gate[0]);
	close_fd(&reaper.exec[1]);
	if (!rc)
		rc = await_start(k, &started);
	if (!rc && started.pid <= 0)
		rc = started.pid ? started.pid : -EIO;
	if (rc) {
		sd_keeper_close(k);
		return rc;
	}
	k->program = started.pid;
	k->entered = started.entered;
	k->end = (int)syscall(SYS_pidfd_open, k->program, 0u);
	return 0;
}

/* Reads the exec pipe; 0: nothing, it was closed by the exec. -EINTR: stopped before. */
static ssize_t await_exec(
	struct sd_keeper *k, const volatile sig_atomic_t *stop, struct sd_reaper_failure *f)
{
	struct pollfd fd = {.fd = k->exec, .events = POLLIN};

	while (poll(&fd, 1, LOOK_MS) <= 0) {
		if (stop && *stop)
			return -EINTR;
		sd_keeper_look(k);
	}
	return read(k->exec, f, sizeof *f);
}

int sd_keeper_release(struct sd_keeper *k, const volatile sig_atomic_t *stop, int *in_chdir)
{
	struct sd_reaper_failure f = {0};
	ssize_t n;

	*in_chdir = 0;
	/* a program that failed before the gate has said why: nobody listens, and that is fine */
	(void)!send(k->gate, "", 1, MSG_NOSIGNAL);
	n = await_exec(k, stop, &f);
	if (n == -EINTR)
		return -EINTR;
	close_fd(&k->exec);
	close_fd(&k->gate);
	*in_chdir = f.in_chdir;
	if (n == 0)
		return k->clock->exec_ns ? 0 : -EIO; /* killed before it could exec */
	return n == (ssize_t)sizeof f && f.error > 0 ? -f.error : -EIO;
}

/* From now on, after `ms` and as long as a keeper may need to kill, it must be gone. */
static void limit(struct sd_keeper *k, unsigned ms)
{
	const uint64_t at = in_ms(ms + SD_REAPER_GIVE_UP_MS + SLACK_MS);

	if (at < k->limit_ns)
		k->limit_ns = at;
}

/* Has the keeper used CPU time since the last time this was asked? */
static int works(struct sd_keeper *k)
{
	const uint64_t before = k->cpu_ns;
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(k->keeper, &clock) || clock_gettime(clock, &t))
		return 0;
	k->cpu_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return k->cpu_ns >= before + WORKS_NS;
}

void sd_keeper_look(struct sd_keeper *k)
{
	struct pollfd fd = {.fd = k->end, .events = POLLIN};
	siginfo_t info = {0};

	if (k->keeper <= 0)
		return;
	if (fd.fd >= 0 && poll(&fd, 1, 0) > 0) {
		k->ended_ns = sd_clock_ns();
		close_fd(&k->end);
		limit(k, SD_REAPER_LEFTOVER_MS);
	}
	if (waitid(P_PID, (id_t)k->keeper, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid) {
		k->stopped = 1;
		kill(k->keeper, SIGCONT);
	}
	if (k->late || sd_clock_ns() < k->limit_ns)
		return;
	if (k->more < MORE_TIMES && works(k)) {
		k->more++;
		k->limit_ns = in_ms(SLACK_MS);
		return;
	}
	k->late = 1;
	kill(k->keeper, SIGKILL); /* its end is the next report */
}

int sd_keeper_wait(struct sd_keeper *k, uint64_t at)
{
	const uint64_t now = sd_clock_ns(), d = at > now ? at - now : 0;
	const struct timespec t = {
		.tv_sec = (time_t)(d / 1000000000u), .tv_nsec = (long)(d % 1000000000u)};
	struct pollfd fd[2] = {
		{.fd = k->socket, .events = POLLIN}, {.fd = k->end, .events = POLLIN}};
	const int ready = ppoll(fd, 2, &t, NULL);

	sd_keeper_look(k);
	return ready > 0 && fd[0].revents;
}

void sd_keeper_end(struct sd_keeper *k, unsigned grace_ms)
{
	if (k->socket < 0)
		return;
	limit(k, grace_ms);
	if (send(k->socket, &grace_ms, sizeof grace_ms, MSG_NOSIGNAL) < 0)
		return; /* it is gone: the next report says so */
}

int sd_keeper_report(struct sd_keeper *k, struct sd_keeper_report *r)
{
	int reset = 0;
	ssize_t n;

	/* A keeper that ends with a word of ours unread, as after a second Ctrl-C, resets the
	 * socket: the kernel says that once, ahead of the reports that are still there. */
	do
		n = recv(k->socket, r, sizeof *r, 0);
	while (n < 0 && (errno == EINTR || (errno == ECONNRESET && !reset++)));
	if (n != (ssize_t)sizeof *r)
		return -EIO;
	k->gone = r->news == SD_KEEPER_GONE;
	/* a keeper that was stopped saw the end later than we */
	if (r->news == SD_KEEPER_ENDED && k->stopped && k->clock->exec_ns &&
		k->ended_ns > k->clock->exec_ns && k->ended_ns - k->clock->exec_ns < r->wall_ns)
		r->wall_ns = k->ended_ns - k->clock->exec_ns;
	return 0;
}

void sd_keeper_outcome(const struct sd_keeper_report *r, int timed_out, enum sd_end *end, int *code)
{
	const int signalled = WIFSIGNALED(r->status);

	*end = timed_out ? SD_END_TIMEOUT : signalled ? SD_END_SIGNALLED : SD_END_EXITED;
	*code = signalled ? WTERMSIG(r->status) : WEXITSTATUS(r->status);
}

/* The keeper was killed: its orphans are our children now, told from others by their session. */
static void kill_orphans(pid_t keeper)
{
	const uint64_t give_up = in_ms(SD_REAPER_GIVE_UP_MS);
	const pid_t session = getsid(0);
	const struct timespec round = {.tv_nsec = SD_REAPER_ROUND_MS * 1000000L};

	for (int idle = 0; idle < 3 && sd_clock_ns() < give_up;) {
		pid_t child[512];
		const size_t n =
			sd_descendants_children(getpid(), child, sizeof child / sizeof *child);

		idle = sd_descendants_signal(getpid(), SIGKILL, session, NULL) ? 0 : idle + 1;
		for (size_t i = 0; i < n; i++)
			if (child[i] != keeper && getsid(child[i]) != session)
				waitpid(child[i], NULL, WNOHANG);
		nanosleep(&round, NULL);
	}
}

/*
 * Waits for the keeper's end, which a closed socket makes it come to; kills it when that takes too
 * long. 1 when it ended as it should. One that not even SIGKILL ends is left behind.
 */
static int await_keeper(struct sd_keeper *k)
{
	const struct timespec round = {.tv_nsec = 1000000L};
	uint64_t give_up = 0;
	int status = 0;
	pid_t got;

	if (!k->late)
		limit(k, 0);
	while ((got = waitpid(k->keeper, &status, WNOHANG)) == 0) {
		sd_keeper_look(k);
		if (k->late && !give_up)
			give_up = in_ms(1000);
		if (give_up && sd_clock_ns() >= give_up)
			break;
		nanosleep(&round, NULL);
	}
	return got == k->keeper && WIFEXITED(status);
}

void sd_keeper_close(struct sd_keeper *k)
{
	close_fd(&k->gate);
	close_fd(&k->exec);
	close_fd(&k->end);
	close_fd(&k->socket); /* the keeper kills what is left */
	if (k->keeper > 0) {
		if (!await_keeper(k) && !k->gone)
			kill_orphans(k->keeper);
		prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)k->subreaper);
	}
	if (k->clock)
		munmap(k->clock, sizeof *k->clock);
	*k = SD_KEEPER_NONE;
}
