#include "launch/run_groups.h"

#include <errno.h>
#include <linux/sched.h>
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

pid_t sd_run_groups_fork(const struct sd_run_groups *g, unsigned *entered)
{
	struct clone_args a;
	pid_t pid = -1;

	if (g->folder) {
		memset(&a, 0, sizeof a);
		a.flags = CLONE_INTO_CGROUP;
		a.exit_signal = SIGCHLD;
		a.cgroup = (uint64_t)g->folder;
		pid = (pid_t)syscall(SYS_clone3, &a, sizeof a);
	}
	if (pid < 0)
		return fork(); /* before Linux 5.7, or not allowed to: it is moved later */
	*entered |= 1u << g->born;
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
