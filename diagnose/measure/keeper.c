#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kin.h"

#define SETTLE_MS 50u     /* descendants that end by themselves just after the program */
#define LEFTOVER_MS 500u  /* from SIGTERM to SIGKILL for the others */
#define GIVE_UP_MS 10000u /* of killing without success */
#define ROUND_MS 2u       /* between rounds of killing: deaths need a moment */

/* Shared with the program until its exec replaces its memory: when did it call exec? */
struct sd_keeper_clock {
	uint64_t exec_ns;
};

/* What a failed start says through the exec pipe. */
struct failure {
	int error, in_chdir;
};

enum phase {
	WATCH,  /* the program runs */
	SETTLE, /* it has ended, others have not yet */
	ASK,    /* SIGTERM was sent */
	KILL,
};

struct watch {
	int socket, children; /* children: signalfd of SIGCHLD */
	pid_t program;
	enum phase phase;
	uint64_t deadline; /* of the phase, ns */
	const struct sd_keeper_clock *clock;
	struct sd_keeper_report report; /* as it will be for GONE */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t in_ms(unsigned ms)
{
	return now_ns() + ms * UINT64_C(1000000);
}

/* ---- the program, before its exec ---- */

static void say_failure(int fd, int error, int in_chdir)
{
	const struct failure f = {.error = error, .in_chdir = in_chdir};

	/* nobody to tell when this fails: the exit status says the rest */
	if (write(fd, &f, sizeof f) != (ssize_t)sizeof f)
		_exit(126);
	_exit(127);
}

static void default_signals(void)
{
	/* a handler is reset by exec, an ignored signal is not: programs expect these */
	static const int reset[] = {SIGPIPE, SIGCHLD, SIGINT, SIGQUIT, SIGTERM};
	const struct sigaction sa = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (size_t i = 0; i < sizeof reset / sizeof *reset; i++)
		sigaction(reset[i], &sa, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Never returns. `gate` and `exec` are the ends for this side. */
static void become_program(const struct sd_keeper_spec *spec, pid_t keeper, int gate, int exec,
	struct sd_keeper_clock *clock)
{
	struct timespec t;
	char go;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != keeper)
		_exit(127);
	if (dup2(spec->in, 0) < 0 || dup2(spec->out, 1) < 0 || dup2(spec->err, 2) < 0)
		say_failure(exec, errno, 0);
	if (spec->cwd && chdir(spec->cwd))
		say_failure(exec, errno, 1);
	default_signals();
	while (read(gate, &go, 1) != 1)
		if (errno != EINTR)
			_exit(127); /* scalediag died or changed its mind */
	clock_gettime(CLOCK_MONOTONIC, &t);
	clock->exec_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	execve(spec->path, spec->argv, spec->envp);
	say_failure(exec, errno, 0);
}

/* ---- the keeper ---- */

static void add_time(struct timeval *sum, const struct timeval *t)
{
	sum->tv_sec += t->tv_sec;
	sum->tv_usec += t->tv_usec;
	if (sum->tv_usec >= 1000000) {
		sum->tv_sec++;
		sum->tv_usec -= 1000000;
	}
}

static void add_usage(struct rusage *sum, const struct rusage *u)
{
	add_time(&sum->ru_utime, &u->ru_utime);
	add_time(&sum->ru_stime, &u->ru_stime);
	if (u->ru_maxrss > sum->ru_maxrss)
		sum->ru_maxrss = u->ru_maxrss;
	sum->ru_minflt += u->ru_minflt;
	sum->ru_majflt += u->ru_majflt;
	sum->ru_inblock += u->ru_inblock;
	sum->ru_oublock += u->ru_oublock;
	sum->ru_nvcsw += u->ru_nvcsw;
	sum->ru_nivcsw += u->ru_nivcsw;
}

static void tell(struct watch *w, enum sd_keeper_news news)
{
	w->report.news = news;
	/* a scalediag that is gone does not read: the socket's end says so in the loop */
	if (send(w->socket, &w->report, sizeof w->report, MSG_NOSIGNAL) < 0)
		return;
}

static void go_to(struct watch *w, enum phase phase, unsigned ms)
{
	w->phase = phase;
	w->deadline = in_ms(ms);
	if (phase == ASK) {
		sd_kin_signal(getpid(), SIGTERM, 0, NULL);
		sd_kin_signal(getpid(), SIGCONT, 0, NULL); /* a stopped process must hear it too */
	}
}

/* Reaps what has ended; 1 when no child is left. */
static int reap(struct watch *w)
{
	struct rusage u;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | __WALL, &u)) > 0) {
		add_usage(&w->report.usage, &u);
		if (pid != w->program)
			continue;
		w->report.wall_ns = w->clock->exec_ns ? now_ns() - w->clock->exec_ns : 0;
		w->report.status = status;
		w->program = 0;
		tell(w, SD_KEEPER_ENDED);
		if (w->phase == WATCH)
			go_to(w, SETTLE, SETTLE_MS);
	}
	return pid < 0 && errno == ECHILD;
}

/* A command, or the end of scalediag. */
static void hear(struct watch *w)
{
	unsigned grace_ms;
	const ssize_t n = recv(w->socket, &grace_ms, sizeof grace_ms, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (w->phase == KILL)
		return;
	if (n == (ssize_t)sizeof grace_ms && grace_ms > 0)
		go_to(w, ASK, grace_ms);
	else
		go_to(w, KILL, GIVE_UP_MS);
}

/* 1 when there is nothing more to do. */
static int next_phase(struct watch *w)
{
	const int late = w->phase != WATCH && now_ns() >= w->deadline;

	if (w->phase == SETTLE && late) {
		w->report.leftover = 1;
		go_to(w, ASK, LEFTOVER_MS);
	} else if (w->phase == ASK && late) {
		go_to(w, KILL, GIVE_UP_MS);
	} else if (w->phase == KILL && late) {
		if (!w->report.stuck)
			sd_kin_children(getpid(), &w->report.stuck, 1);
		return 1;
	}
	if (w->phase == KILL)
		sd_kin_signal(getpid(), SIGKILL, 0, &w->report.stuck);
	return 0;
}

static int ms_until(uint64_t deadline)
{
	const uint64_t now = now_ns();

	return deadline > now ? (int)((deadline - now) / 1000000) + 1 : 0;
}

static void watch(struct watch *w)
{
	struct pollfd fd[2] = {
		{.fd = w->socket, .events = POLLIN}, {.fd = w->children, .events = POLLIN}};

	while (!reap(w)) {
		struct signalfd_siginfo info;
		int wait_ms = -1;

		if (next_phase(w))
			return;
		if (w->phase == KILL)
			wait_ms = ROUND_MS;
		else if (w->phase != WATCH)
			wait_ms = ms_until(w->deadline);
		if (poll(fd, 2, wait_ms) <= 0)
			continue;
		if (fd[1].revents && read(w->children, &info, sizeof info) < 0 && errno != EAGAIN)
			return;
		if (fd[0].revents)
			hear(w);
		if (fd[0].revents & POLLHUP)
			fd[0].fd = -1; /* heard: it would wake us for ever */
	}
	w->report.stuck = 0;
}

/* Keeps 0, 1, 2 and the two; what scalediag has open is not ours to hold open. */
static void close_others(int a, int b)
{
	const unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

/* Never returns. */
static void become_keeper(const struct sd_keeper_spec *spec, int socket, const int *gate,
	const int *exec, struct sd_keeper_clock *clock)
{
	const struct sigaction dfl = {.sa_handler = SIG_DFL};
	const pid_t self = getpid();
	struct watch w = {.socket = socket, .clock = clock};
	sigset_t child;

	/* every signal is blocked already: scalediag's death ends the keeper, nothing else */
	prctl(PR_SET_NAME, "scalediag-keep");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setsid(); /* no terminal: its Ctrl-C is scalediag's, and no program stops for reading it */
	sigaction(SIGCHLD, &dfl, NULL); /* ignored, the kernel would reap for us */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	w.children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	w.program = w.children < 0 ? -1 : fork();
	if (w.program == 0) {
		close(gate[1]);
		close(exec[0]);
		close(socket);
		become_program(spec, self, gate[0], exec[1], clock);
	}
	w.report.pid = w.program < 0 ? -errno : w.program;
	dup2(spec->in, 0);
	dup2(spec->in, 1);
	dup2(spec->in, 2);
	close_others(socket, w.children < 0 ? socket : w.children);
	tell(&w, SD_KEEPER_STARTED);
	if (w.program > 0) {
		watch(&w);
		tell(&w, SD_KEEPER_GONE);
	}
	_exit(0);
}

/* ---- scalediag ---- */

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
static pid_t fork_keeper(struct sd_keeper *k, const struct sd_keeper_spec *spec, int socket,
	const int *gate, const int *exec)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0) {
		close(k->socket); /* the keeper must see its end */
		become_keeper(spec, socket, gate, exec, k->clock);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

int sd_keeper_open(struct sd_keeper *k, const struct sd_keeper_spec *spec)
{
	int pair[2] = {-1, -1}, gate[2] = {-1, -1}, exec[2] = {-1, -1};
	struct sd_keeper_report started;
	int rc;

	*k = SD_KEEPER_NONE;
	prctl(PR_GET_CHILD_SUBREAPER, &k->subreaper);
	rc = open_channels(pair, gate, exec);
	k->socket = pair[0];
	k->gate = gate[1];
	k->exec = exec[0];
	if (rc)
		goto out;
	k->clock = mmap(
		NULL, sizeof *k->clock, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (k->clock == MAP_FAILED) {
		k->clock = NULL;
		rc = -errno;
		goto out;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	k->keeper = fork_keeper(k, spec, pair[1], gate, exec);
	rc = k->keeper < 0 ? -errno : 0;
	close_fd(&pair[1]);
	if (!rc)
		rc = sd_keeper_report(k, &started);
	if (!rc && started.pid <= 0)
		rc = started.pid ? started.pid : -EIO;
	if (!rc)
		k->program = started.pid;
out:
	close_fd(&pair[1]);
	close_fd(&gate[0]);
	close_fd(&exec[1]);
	if (rc)
		sd_keeper_close(k);
	return rc;
}

int sd_keeper_release(struct sd_keeper *k, int *in_chdir)
{
	struct failure f = {0};
	ssize_t n;

	*in_chdir = 0;
	/* a program that failed before the gate has said why: nobody listens, and that is fine */
	n = send(k->gate, "", 1, MSG_NOSIGNAL);
	do
		n = read(k->exec, &f, sizeof f);
	while (n < 0 && errno == EINTR);
	close_fd(&k->exec);
	close_fd(&k->gate);
	*in_chdir = f.in_chdir;
	if (n == 0)
		return k->clock->exec_ns ? 0 : -EIO; /* killed before it could exec */
	return n == (ssize_t)sizeof f && f.error > 0 ? -f.error : -EIO;
}

void sd_keeper_end(struct sd_keeper *k, unsigned grace_ms)
{
	if (k->socket < 0)
		return;
	if (send(k->socket, &grace_ms, sizeof grace_ms, MSG_NOSIGNAL) < 0)
		return; /* it is gone: the next report says so */
}

int sd_keeper_report(struct sd_keeper *k, struct sd_keeper_report *r)
{
	ssize_t n;

	do
		n = recv(k->socket, r, sizeof *r, 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof *r)
		return -EIO;
	k->gone = r->news == SD_KEEPER_GONE;
	return 0;
}

/* The keeper was killed: its orphans are our children now, told from others by their session. */
static void kill_orphans(pid_t keeper)
{
	const uint64_t give_up = in_ms(GIVE_UP_MS);
	const pid_t session = getsid(0);
	const struct timespec round = {.tv_nsec = ROUND_MS * 1000000L};

	for (int idle = 0; idle < 3 && now_ns() < give_up;) {
		pid_t child[512];
		const size_t n = sd_kin_children(getpid(), child, sizeof child / sizeof *child);

		idle = sd_kin_signal(getpid(), SIGKILL, session, NULL) ? 0 : idle + 1;
		for (size_t i = 0; i < n; i++)
			if (child[i] != keeper && getsid(child[i]) != session)
				waitpid(child[i], NULL, WNOHANG);
		nanosleep(&round, NULL);
	}
}

void sd_keeper_close(struct sd_keeper *k)
{
	int status = 0;
	pid_t got = -1;

	close_fd(&k->gate);
	close_fd(&k->exec);
	close_fd(&k->socket); /* the keeper kills what is left */
	if (k->keeper > 0) {
		do
			got = waitpid(k->keeper, &status, 0);
		while (got < 0 && errno == EINTR);
		if (!k->gone && !(got == k->keeper && WIFEXITED(status)))
			kill_orphans(k->keeper);
		prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)k->subreaper);
	}
	if (k->clock)
		munmap(k->clock, sizeof *k->clock);
	*k = SD_KEEPER_NONE;
}
