#include "launch/run_groups.h"

#include <errno.h>
#include <linux/sched.h> /* of clone3 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/run.h"

static void add(struct sd_run_groups *g, const struct sd_private_cgroup *group, unsigned flag)
{
	if (!group)
		return;
	g->group[g->n] = group;
	g->flag[g->n] = flag;
	g->in[g->n] = g->back[g->n] = -1;
	if (sd_private_cgroup_files(group, &g->in[g->n], &g->back[g->n]) == -ENOTSUP &&
		!g->folder) {
		const int folder = sd_private_cgroup_folder(group);

		g->folder = folder > 0 ? folder : 0;
		g->born = g->n;
	}
	g->n++;
}

void sd_run_groups_open(struct sd_run_groups *g, const struct sd_shield *shield,
	struct sd_held_cpus *held, const struct sd_cpulist *cpus)
{
	*g = (struct sd_run_groups){0};
	add(g, shield && shield->program.path[0] ? &shield->program : NULL, SD_RUN_SHIELDED);
	add(g, held && cpus && cpus->n ? sd_held_cpus_of(held, cpus) : NULL, SD_RUN_HELD);
}

static int move_to(int fd)
{
	return fd >= 0 && write(fd, "0", 1) == 1;
}

unsigned sd_run_groups_enter(const struct sd_run_groups *g)
{
	unsigned entered = 0;

	for (unsigned i = 0; i < g->n; i++)
		if (move_to(g->in[i]))
			entered |= 1u << i;
	return entered;
}

void sd_run_groups_leave(const struct sd_run_groups *g, unsigned entered)
{
	for (unsigned i = 0; i < g->n; i++)
		if (entered >> i & 1 && g->back[i] >= 0)
			(void)move_to(g->back[i]); /* stays, and goes first as its program does */
}

struct child {
	void (*begin)(const void *with, pid_t parent);
	const void *with;
	pid_t parent;
};

static int begin_child(void *child)
{
	const struct child *const c = child;

	c->begin(c->with, c->parent);
	_exit(127);
}

/*
 * Page tables of what scalediag has read by then take a millisecond to copy, and another to drop.
 * On a stack of its own, the two share only errno, which neither asks for while the other fails.
 * Sanitizers do not know such stacks, nor some emulators such processes.
 */
static pid_t fork_sharing(struct child *c)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	(void)c;
	return -1;
#else
	static _Alignas(64) unsigned char stack[64 << 10];

	return clone(begin_child, stack + sizeof stack, CLONE_VM | SIGCHLD, c);
#endif
}

pid_t sd_run_groups_fork(const struct sd_run_groups *g,
	void (*begin)(const void *with, pid_t parent), const void *with, unsigned *entered)
{
	static struct child c; /* is read after this function has returned */
	struct clone_args a;
	pid_t pid = -1;

	c = (struct child){begin, with, getpid()};
	if (g->folder) {
		memset(&a, 0, sizeof a);
		a.flags = CLONE_INTO_CGROUP;
		a.exit_signal = SIGCHLD;
		a.cgroup = (uint64_t)g->folder;
		pid = (pid_t)syscall(SYS_clone3, &a, sizeof a);
	}
	if (pid > 0)
		*entered |= 1u << g->born;
	/* before Linux 5.7, or not allowed to: it is moved later */
	if (pid < 0)
		pid = fork_sharing(&c);
	if (pid < 0)
		pid = fork();
	if (pid == 0)
		_exit(begin_child(&c));
	return pid;
}

unsigned sd_run_groups_add(const struct sd_run_groups *g, unsigned entered, pid_t pid)
{
	unsigned flags = 0;

	for (unsigned i = 0; i < g->n; i++)
		if (entered >> i & 1 || sd_private_cgroup_add(g->group[i], pid) == 0)
			flags |= g->flag[i];
	return flags;
}

void sd_run_groups_close(struct sd_run_groups *g)
{
	if (g->folder)
		close(g->folder);
	for (unsigned i = 0; i < g->n; i++) {
		if (g->in[i] >= 0)
			close(g->in[i]);
		if (g->back[i] >= 0)
			close(g->back[i]);
	}
	*g = (struct sd_run_groups){0};
}
