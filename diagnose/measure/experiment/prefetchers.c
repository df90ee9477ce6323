#include "experiment/prefetchers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child_end.h"

#define SAY(...) snprintf(why, size, __VA_ARGS__)

int sd_prefetchers_look(
	const struct sd_prefetchers_of *of, const struct sd_cpulist *cpus, char *why, size_t size)
{
	struct sd_saved_msr_bits old;
	struct sd_prefetch_bits r;
	size_t on = 0;

	if (!of->bits.off) {
		SAY("not known how to turn them off on this CPU");
		return 0;
	}
	if (!of->file) {
		SAY("nowhere to write down what the registers hold: set HOME or XDG_CACHE_HOME");
		return 0;
	}
	r = sd_prefetch_bits_read(of, cpus, &old);
	for (size_t i = 0; i < old.n; i++)
		on += old.cpu[i].bits != of->bits.off;
	if (r.rc)
		sd_prefetch_bits_explain(of, r, why, size);
	else if (!on)
		SAY("they are off already, by the firmware or an administrator");
	sd_saved_msr_bits_free(&old);
	return !r.rc && on;
}

/* ---- the guard ---- */

static void close_others(const int *keep, size_t n)
{
	int from = 0;

	for (;;) {
		int next = -1;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= from && (next < 0 || keep[i] < next))
				next = keep[i];
		if (next < 0)
			break;
		if (next > from)
			close_range((unsigned)from, (unsigned)next - 1, 0);
		from = next + 1;
	}
	close_range((unsigned)from, ~0u, 0);
}

/* The file stays as long as a bit is not back. */
static void tell(const struct sd_prefetchers *p, int socket, struct sd_prefetch_bits said, int over)
{
	if (over)
		unlink(p->of->file);
	(void)!send(socket, &said, sizeof said, MSG_NOSIGNAL);
}

static _Noreturn void become_guard(const struct sd_prefetchers *p, int socket, int parent)
{
	const int keep[] = {socket, parent, p->lock};
	struct pollfd wait[] = {{.fd = socket, .events = POLLIN}, {.fd = parent, .events = POLLIN}};
	struct sd_prefetch_bits r;

	setpgid(0, 0); /* a Ctrl-C is for scalediag, which ends it */
	prctl(PR_SET_NAME, "scalediag-guard");
	close_others(keep, sizeof keep / sizeof *keep);
	r = sd_prefetch_bits_off(p->of, &p->old);
	if (r.rc) {
		tell(p, socket, r, sd_prefetch_bits_back(p->of, &p->old).rc == 0);
		_exit(1);
	}
	tell(p, socket, r, 0);
	while (poll(wait, 2, -1) < 0 && errno == EINTR)
		;
	r = sd_prefetch_bits_back(p->of, &p->old);
	tell(p, socket, r, r.rc == 0);
	_exit(r.rc != 0);
}

static struct sd_prefetch_bits hear(const struct sd_prefetchers *p)
{
	struct sd_prefetch_bits r;
	ssize_t n;

	do
		n = recv(p->socket, &r, sizeof r, 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof r ? r : (struct sd_prefetch_bits){-ECHILD, 0};
}

static int fork_guard(struct sd_prefetchers *p)
{
	const int parent = (int)syscall(SYS_pidfd_open, getpid(), 0); /* -1 on Linux < 5.3 */
	int pair[2], rc = 0;
	sigset_t all, before;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		rc = -errno;
	} else {
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, &before);
		p->guard = fork();
		if (p->guard == 0) {
			close(pair[0]);
			become_guard(p, pair[1], parent);
		}
		rc = p->guard < 0 ? -errno : 0;
		sigprocmask(SIG_SETMASK, &before, NULL);
		close(pair[1]);
		p->socket = pair[0];
		/* of one that was stopped nothing is heard */
		(void)setsockopt(p->socket, SOL_SOCKET, SO_RCVTIMEO,
			&(struct timeval){.tv_sec = SD_CHILD_END_S}, sizeof(struct timeval));
	}
	if (parent >= 0)
		close(parent);
	return rc;
}

static void reap(struct sd_prefetchers *p)
{
	if (p->socket >= 0)
		close(p->socket);
	if (p->guard > 0)
		(void)sd_child_end_await(p->guard, SD_CHILD_END_S, NULL);
	p->guard = 0;
	p->socket = -1;
}

static void forget(struct sd_prefetchers *p)
{
	reap(p);
	if (p->lock >= 0)
		close(p->lock);
	sd_saved_msr_bits_free(&p->old);
	*p = SD_PREFETCHERS_NONE;
}

/* Nobody else has done it. 0 or -EIO and why. */
static int put_back_self(const struct sd_prefetchers *p, char *why, size_t size)
{
	const struct sd_prefetch_bits r = sd_prefetch_bits_back(p->of, &p->old);

	if (!r.rc)
		unlink(p->of->file);
	else
		sd_prefetch_bits_lament(p->of, &p->old, r, why, size);
	return r.rc ? -EIO : 0;
}

/* ---- off and on ---- */

/* 0 when nobody else has them off and what they are is on the disk. */
static int begin(struct sd_prefetchers *p, const struct sd_cpulist *cpus, char *why, size_t size)
{
	struct sd_prefetch_bits r;
	int rc;

	p->lock = sd_msr_lock(&p->of->msr);
	if (p->lock < 0) {
		rc = p->lock;
		if (rc == -EWOULDBLOCK)
			SAY("another scalediag has the prefetchers off");
		else
			SAY("%s/dev/cpu: %s", p->of->msr.root, strerror(-rc));
		return rc;
	}
	r = sd_prefetch_bits_read(p->of, cpus, &p->old);
	if (r.rc) {
		sd_prefetch_bits_explain(p->of, r, why, size);
		return r.rc;
	}
	rc = sd_saved_msr_bits_write(p->of->file, &p->old);
	if (rc == -EEXIST)
		SAY("%s has bits of a run that was killed and could not be put back", p->of->file);
	else if (rc)
		SAY("what the registers hold cannot be written to %s: %s", p->of->file,
			strerror(-rc));
	return rc;
}

int sd_prefetchers_off(struct sd_prefetchers *p, const struct sd_prefetchers_of *of,
	const struct sd_cpulist *cpus, char *why, size_t size)
{
	struct sd_prefetch_bits r;
	int rc;

	*p = SD_PREFETCHERS_NONE;
	p->of = of;
	rc = begin(p, cpus, why, size);
	if (rc) {
		forget(p);
		return rc;
	}
	rc = fork_guard(p);
	r = rc ? (struct sd_prefetch_bits){rc, 0} : hear(p);
	if (!r.rc)
		return 0;
	reap(p);
	if (r.rc == -ECHILD || rc)
		SAY("the process that turns them on again was killed or could not start");
	else
		sd_prefetch_bits_explain(of, r, why, size);
	/* the guard has not done it */
	if (access(of->file, F_OK) == 0)
		put_back_self(p, why, size);
	forget(p);
	return r.rc;
}

int sd_prefetchers_on(struct sd_prefetchers *p, char *why, size_t size)
{
	int rc;

	if (!p->of)
		return 0;
	(void)!send(p->socket, "", 1, MSG_NOSIGNAL);
	rc = hear(p).rc;
	reap(p);
	if (rc)
		rc = put_back_self(p, why, size);
	forget(p);
	return rc;
}

/* ---- after a kill ---- */

static void recover(const struct sd_prefetchers_of *of, struct sd_saved_msr_bits *old,
	const struct sd_sink *sink)
{
	char boot[sizeof old->boot], why[400];
	struct sd_prefetch_bits r;

	sd_saved_msr_bits_boot(boot, sizeof boot, "");
	if (strcmp(boot, old->boot) != 0) {
		unlink(of->file); /* the registers were reset since */
		return;
	}
	if (!of->bits.off || old->msr != of->bits.msr) {
		sd_say(sink, SD_LEVEL_WARNING,
			"%s is of another CPU: prefetchers that a killed scalediag turned off are "
			"not turned on again",
			of->file);
		return;
	}
	for (size_t i = 0; i < old->n; i++)
		old->cpu[i].bits &= of->bits.off;
	r = sd_prefetch_bits_back(of, old);
	if (!r.rc)
		unlink(of->file);
	if (r.rc)
		sd_prefetch_bits_lament(of, old, r, why, sizeof why);
	sd_say(sink, r.rc ? SD_LEVEL_WARNING : SD_LEVEL_NOTE, "%s",
		r.rc ? why : "the prefetchers that a killed scalediag had turned off are on again");
}

void sd_prefetchers_recover(const struct sd_prefetchers_of *of, const struct sd_sink *sink)
{
	struct sd_saved_msr_bits old;
	int lock, rc;

	if (!of->file || access(of->file, F_OK))
		return;
	lock = sd_msr_lock(&of->msr);
	if (lock < 0) /* at work now, or not for us */
		return;
	rc = sd_saved_msr_bits_read(of->file, &old);
	if (rc == 0)
		recover(of, &old, sink);
	else if (rc != -ENOENT)
		sd_say(sink, SD_LEVEL_WARNING,
			"%s, which should have what the prefetchers' registers held: %s; remove it",
			of->file, rc == -EINVAL ? "damaged" : strerror(-rc));
	sd_saved_msr_bits_free(&old);
	close(lock);
}
