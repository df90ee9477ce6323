#include "launch/reaper.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/affinity.h"
#include "launch/descendants.h"

#define SETTLE_MS 50u    /* descendants that end by themselves just after the program */
#define LEFTOVER_MS 500u /* from SIGTERM to SIGKILL for the others */
static_assert(SETTLE_MS + LEFTOVER_MS == SD_REAPER_LEFTOVER_MS, "what keeper.c counts on");

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
	uint64_t left_ns;               /* CPU time of what the program left, at its end */
	struct sd_keeper_report report; /* as it will be for GONE */
};

static uint64_t in_ms(unsigned ms)
{
	return sd_clock_ns() + ms * UINT64_C(1000000);
}

/* ---- the program, before its exec ---- */

static _Noreturn void say_failure(int fd, int error, int in_chdir)
{
	const struct sd_reaper_failure f = {.error = error, .in_chdir = in_chdir};

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

/* 0 or errno. Nodes: 1024 is the most that any kernel is built for. */
static int tune(const struct sd_keeper_tune *t)
{
	unsigned long nodes[1024 / (8 * sizeof(unsigned long))] = {0};

	if (t->no_huge_pages && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		return errno;
	if (t->interleave &&
		(syscall(SYS_get_mempolicy, NULL, nodes, 8 * sizeof nodes, NULL,
			 MPOL_F_MEMS_ALLOWED) ||
			syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, nodes, 8 * sizeof nodes)))
		return errno;
	return 0;
}

/*
 * Closes a descriptor now that the exec would close: an object of the kernel that ends with its
 * last descriptor takes its time, and after the exec that would be the program's (a BPF program
 * leaves its tracepoint after a grace period of RCU, seen: 10 to 40 ms). Folders, of which one
 * lists the descriptors, cost nothing.
 */
static int close_before_exec(void *reaper, pid_t fd)
{
	const struct sd_reaper *const r = reaper;

	if (fd > 2 && fd != r->exec[1] && fd != r->gate[0] && (fcntl(fd, F_GETFD) & FD_CLOEXEC) &&
		!(fcntl(fd, F_GETFL) & O_DIRECTORY))
		close(fd);
	return 0;
}

static _Noreturn void become_program(const struct sd_reaper *r, pid_t keeper)
{
	const struct sd_keeper_spec *spec = r->spec;
	const int exec = r->exec[1];
	struct sd_reaper kept = *r;
	char go;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != keeper)
		_exit(127);
	if (dup2(spec->in, 0) < 0 || dup2(spec->out, 1) < 0 || dup2(spec->err, 2) < 0)
		say_failure(exec, errno, 0);
	if (spec->cwd && chdir(spec->cwd))
		say_failure(exec, errno, 1);
	if (tune(&spec->tune))
		say_failure(exec, errno, 0);
	default_signals();
	(void)sd_descendants_each_number("/proc/self/fd", close_before_exec, &kept);
	while (read(r->gate[0], &go, 1) != 1)
		if (errno != EINTR)
			_exit(127); /* scalediag died or changed its mind */
	r->clock->exec_ns = sd_clock_ns();
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

/* Every process of the tree; killing begins with the program's group, which is one step (its number
 * is ours until it is reaped). Without a /proc to walk the group is all that is asked to end.
 * SIGTERM is not sent twice: to some programs the second means more. */
static void end_all(struct watch *w, int signal)
{
	const int killing = signal == SIGKILL;
	size_t signalled;

	if (killing && w->program > 0)
		kill(-w->program, signal);
	signalled = sd_descendants_signal(getpid(), signal, 0, killing ? &w->report.stuck : NULL);
	if (!killing && !signalled && w->program > 0)
		kill(-w->program, signal);
	if (killing && !signalled && access("/proc/self/stat", F_OK))
		sd_descendants_signal_unlisted(signal, SD_DESCENDANTS_PID_MOST);
}

static void go_to(struct watch *w, enum phase phase, unsigned ms)
{
	w->phase = phase;
	w->deadline = in_ms(ms);
	if (phase == ASK) {
		end_all(w, SIGTERM);
		end_all(w, SIGCONT); /* a stopped process must hear it too */
	}
}

/*
 * PTRACE_TRACEME makes the parent the tracer, at whose mercy the program then is: it stops at every
 * signal. It is let go, with the signal, as by any parent that traces nobody; but not with the
 * SIGTRAP that the kernel sends from its exec to tell a tracer.
 */
static void let_go(pid_t pid, int status)
{
	siginfo_t info = {0};
	unsigned long signal = (unsigned long)WSTOPSIG(status);

	if (signal == SIGTRAP && ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) == 0 &&
		info.si_code == SI_USER && info.si_pid == pid)
		signal = 0;
	ptrace(PTRACE_DETACH, pid, NULL, signal);
}

/* Reaps what has ended; 1 when no child is left. */
static int reap(struct watch *w)
{
	struct rusage u;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | __WALL, &u)) > 0) {
		if (!WIFEXITED(status) && !WIFSIGNALED(status)) {
			let_go(pid, status);
			continue;
		}
		add_usage(&w->report.usage, &u);
		if (pid != w->program)
			continue;
		w->report.wall_ns = w->clock->exec_ns ? sd_clock_ns() - w->clock->exec_ns : 0;
		w->report.status = status;
		w->program = 0;
		tell(w, SD_KEEPER_ENDED);
		w->left_ns = sd_descendants_cpu_ns(getpid());
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
		go_to(w, KILL, SD_REAPER_GIVE_UP_MS);
}

/* A service that the program leaves behind waits; one that goes on with its work is the program. */
static int has_worked(const struct watch *w)
{
	return sd_descendants_cpu_ns(getpid()) > w->left_ns + SETTLE_MS * UINT64_C(1000000) / 2;
}

/* 1 when there is nothing more to do. */
static int next_phase(struct watch *w)
{
	const int late = w->phase != WATCH && sd_clock_ns() >= w->deadline;

	if (w->phase == SETTLE && late) {
		w->report.leftover = 1;
		w->report.working = has_worked(w);
		go_to(w, ASK, LEFTOVER_MS);
	} else if (w->phase == ASK && late) {
		go_to(w, KILL, SD_REAPER_GIVE_UP_MS);
	} else if (w->phase == KILL && late) {
		if (!w->report.stuck)
			sd_descendants_children(getpid(), &w->report.stuck, 1);
		return 1;
	}
	if (w->phase == KILL)
		end_all(w, SIGKILL);
	return 0;
}

static int ms_until(uint64_t deadline)
{
	const uint64_t now = sd_clock_ns();

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
			wait_ms = SD_REAPER_ROUND_MS;
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

/* No terminal: its Ctrl-C is scalediag's, and no program stops for reading it. */
static void settle_in(void)
{
	const struct sigaction dfl = {.sa_handler = SIG_DFL};

	prctl(PR_SET_NAME, "scalediag-keep");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setsid();
	/* its socket's end is what it obeys: a keeper that was stopped must get to see it */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	sigaction(SIGCHLD, &dfl, NULL); /* ignored, the kernel would reap for us */
}

static void begin_program(const void *reaper, pid_t keeper)
{
	const struct sd_reaper *const r = reaper;

	close(r->gate[1]); /* or its end would never be seen */
	close(r->exec[0]);
	close(r->socket);
	become_program(r, keeper);
}

static pid_t fork_program(const struct sd_reaper *r, unsigned *entered)
{
	static const struct sd_run_groups none;

	return sd_run_groups_fork(
		r->spec->groups ? r->spec->groups : &none, begin_program, r, entered);
}

/* From the groups that it is to be in. */
static pid_t start_program(const struct sd_reaper *r, unsigned *entered)
{
	const struct sd_run_groups *const groups = r->spec->groups;
	struct sd_affinity_set *before;
	pid_t pid;

	*entered = 0;
	if (!groups || !groups->n)
		return fork_program(r, entered);
	before = sd_affinity_aside(&(struct sd_cpulist){0});
	*entered = sd_run_groups_enter(groups);
	pid = fork_program(r, entered);
	sd_run_groups_leave(groups, *entered);
	sd_affinity_back(before);
	return pid;
}

_Noreturn void sd_reaper_run(const struct sd_reaper *r)
{
	struct watch w = {.socket = r->socket, .clock = r->clock};
	const pid_t scalediag = getppid();
	sigset_t child;

	/* every signal stays blocked: scalediag's death ends the keeper, nothing else */
	settle_in();
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	w.children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	w.program = w.children < 0 ? -1 : start_program(r, &w.report.entered);
	w.report.pid = w.program < 0 ? -errno : w.program;
	for (int i = 0; i < 3; i++)
		dup2(r->spec->in, i); /* a reader of our output should not have to wait for us */
	close_others(w.socket, w.children < 0 ? w.socket : w.children);
	tell(&w, SD_KEEPER_STARTED);
	if (w.program > 0) {
		watch(&w);
		tell(&w, SD_KEEPER_GONE);
	}
	if (r->spec->wakes && getppid() == scalediag)
		kill(scalediag, SIGCONT);
	_exit(0);
}
