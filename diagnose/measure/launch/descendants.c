#include "launch/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Descendants remembered at once; of a larger tree the rest is found when the walk is repeated. */
#define KIN_ROOM 4096

struct kin {
	pid_t pid, parent;
};

/* A positive decimal number at *p, at most INT_MAX; advances *p. 0 = there is none. */
static pid_t number_at(const char **p)
{
	long v = 0;

	while (**p >= '0' && **p <= '9' && v < 100000000L)
		v = v * 10 + (*(*p)++ - '0');
	return (pid_t)v;
}

/* Reads up to size - 1 bytes of a small file and terminates them; -1 when it cannot be read. */
static ssize_t slurp(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = -1;

	if (fd < 0)
		return -1;
	while (n + 1 < size && (got = read(fd, text + n, size - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	text[n] = '\0';
	return got < 0 && n == 0 ? -1 : (ssize_t)n;
}

/* The parent of a process; 0 when it is gone. The name in the second field may hold anything. */
static pid_t parent_of(pid_t pid)
{
	char path[64], text[512];
	const char *p;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (slurp(path, text, sizeof text) <= 0)
		return 0;
	p = strrchr(text, ')');
	if (!p || strlen(p) < 5)
		return 0;
	p += 4; /* ") S " */
	return number_at(&p);
}

int sd_descendants_each_number(const char *path, int (*each)(void *ctx, pid_t number), void *ctx)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char buffer[2048] __attribute__((aligned(8)));
	ssize_t got;
	int rc = 0;

	if (fd < 0)
		return -1;
	/* not opendir(): it allocates */
	while (rc == 0 && (got = getdents64(fd, buffer, sizeof buffer)) > 0)
		for (ssize_t at = 0; rc == 0 && at < got;) {
			const struct dirent64 *d = (const void *)(buffer + at);
			const char *name = d->d_name;
			const pid_t n = number_at(&name);

			if (n > 0)
				rc = each(ctx, n);
			at += d->d_reclen;
		}
	close(fd);
	return rc;
}

struct children {
	pid_t parent, *child;
	size_t n, room;
	int no_list; /* the kernel has no children files */
};

static int add_child(struct children *c, pid_t pid)
{
	if (c->n == c->room)
		return 1;
	c->child[c->n++] = pid;
	return 0;
}

/* The children of one thread, from the kernel's own list (CONFIG_PROC_CHILDREN). */
static int children_of_thread(void *ctx, pid_t tid)
{
	struct children *c = ctx;
	char path[96], text[4096];
	const char *p = text;
	pid_t pid;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)c->parent, (int)tid);
	if (slurp(path, text, sizeof text) < 0) {
		/* the thread has just ended, or no thread has such a file */
		c->no_list = access("/proc/thread-self/children", R_OK) != 0;
		return c->no_list;
	}
	/* a list cut at the buffer's end may end in half a number: it is dropped, for a
	 * next walk */
	while ((pid = number_at(&p)) > 0 && *p == ' ') {
		if (add_child(c, pid))
			return 1;
		p++;
	}
	return 0;
}

static int is_child(void *ctx, pid_t pid)
{
	struct children *c = ctx;

	return parent_of(pid) == c->parent && add_child(c, pid);
}

size_t sd_descendants_children(pid_t pid, pid_t *child, size_t room)
{
	struct children c = {.parent = pid, .room = room};
	char path[64];

	c.child = child;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	if (sd_descendants_each_number(path, children_of_thread, &c) != 0 && c.no_list) {
		c.n = 0;
		sd_descendants_each_number("/proc", is_child, &c);
	}
	return c.n;
}

/* Appends the children of `parent` to the queue. */
static size_t enqueue(struct kin *queue, size_t n, pid_t parent)
{
	pid_t child[512];
	const size_t found = sd_descendants_children(parent, child, sizeof child / sizeof *child);

	for (size_t i = 0; i < found && n < KIN_ROOM; i++)
		queue[n++] = (struct kin){.pid = child[i], .parent = parent};
	return n;
}

/* 0, or -errno; -ESRCH when it is gone or not this family's any more. */
static int signal_one(const struct kin *k, pid_t root, int signal)
{
	const int fd = (int)syscall(SYS_pidfd_open, k->pid, 0u);
	pid_t parent;
	int rc;

	if (fd < 0 && errno == ESRCH)
		return -ESRCH;
	parent = parent_of(k->pid);
	if (parent != k->parent && parent != root)
		rc = -ESRCH;
	else if (fd >= 0)
		rc = syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0u) ? -errno : 0;
	else
		rc = kill(k->pid, signal) ? -errno : 0; /* a sandbox that forbids pidfds */
	if (fd >= 0)
		close(fd);
	return rc;
}

size_t sd_descendants_signal(pid_t root, int signal, pid_t spare, pid_t *denied)
{
	struct kin queue[KIN_ROOM];
	size_t n = enqueue(queue, 0, root), done = 0;

	for (size_t i = 0; i < n; i++) {
		int rc;

		if (spare && getsid(queue[i].pid) == spare)
			continue;
		/* its children first looked up, then it is signalled: once it is dead they are
		 * someone else's */
		n = enqueue(queue, n, queue[i].pid);
		rc = signal_one(&queue[i], root, signal);
		done += rc == 0;
		if (rc == -EPERM && denied)
			*denied = queue[i].pid;
	}
	return done;
}

uint64_t sd_descendants_cpu_ns(pid_t root)
{
	struct kin queue[KIN_ROOM];
	size_t n = enqueue(queue, 0, root);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct timespec t;
		clockid_t clock;

		n = enqueue(queue, n, queue[i].pid);
		if (clock_getcpuclockid(queue[i].pid, &clock) == 0 && clock_gettime(clock, &t) == 0)
			sum += (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	}
	return sum;
}

size_t sd_descendants_signal_unlisted(int signal, pid_t most)
{
	size_t done = 0;

	for (pid_t pid = 1; pid <= most; pid++) {
		siginfo_t info = {0};

		/* a child, and not one that has ended: its number is ours until we reap it */
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
			info.si_pid == 0)
			done += kill(pid, signal) == 0;
	}
	return done;
}
