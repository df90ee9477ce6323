#include "harness/team.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/team_control.h"
#include "base/child_end.h"
#include "base/clock.h"

#define GATE_TIMEOUT_S 10.0 /* for CPUs that are busy with something else */
#define STOP_TIMEOUT_S 1.0

const char *sd_team_kind_name(enum sd_team_kind kind)
{
	return kind == SD_TEAM_PROCESSES ? "processes" : "threads";
}

static void *thread_main(void *arg)
{
	sd_team_member(arg);
	return NULL;
}

/* A child: dies with its parent, and leaves Ctrl-C to it. */
static void process_main(struct sd_team_place *p, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	if (getppid() == parent)
		sd_team_member(p);
	_exit(0);
}

static int launch(struct sd_team *team, unsigned rank)
{
	struct sd_team_control *c = team->control;
	const pid_t parent = getpid();
	pid_t pid;

	if (team->kind == SD_TEAM_THREADS)
		return -pthread_create(&c->thread[rank], NULL, thread_main, &c->place[rank]);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		process_main(&c->place[rank], parent);
	c->pid[rank] = pid; /* shared memory: only the parent may write it */
	return 0;
}

/* Has a process member died? Its end is collected here. One that was stopped goes on: nobody else
 * looks after it, and its job has no end. */
static int lost_member(struct sd_team *team)
{
	struct sd_team_control *c = team->control;

	for (unsigned i = 0; team->kind == SD_TEAM_PROCESSES && i < c->n_started; i++) {
		int status = 0;

		if (c->pid[i] <= 0 || waitpid(c->pid[i], &status, WNOHANG | WUNTRACED) != c->pid[i])
			continue;
		if (!WIFSTOPPED(status)) {
			c->pid[i] = -1;
			return 1;
		}
		kill(c->pid[i], SIGCONT);
	}
	return 0;
}

/* Sleeps until `expected` members are ready. The gate opening is `generation` leaving `closed`. */
static int await(
	struct sd_team *team, unsigned expected, unsigned closed, const volatile sig_atomic_t *stop)
{
	struct sd_team_control *c = team->control;
	const double begin = sd_clock_s();
	double stopped = 0;
	int rc = 0;

	for (unsigned done; rc == 0 && (done = atomic_load(&c->done)) < expected;) {
		sd_team_futex_wait(&c->done, done);
		if (lost_member(team))
			rc = -ECHILD;
		if (stop && *stop && stopped <= 0) {
			stopped = sd_clock_s();
			atomic_store(&c->gate.stopped, 1);
			atomic_store(&c->gate.ended, 1);
		}
		if (stopped > 0 && sd_clock_s() - stopped > STOP_TIMEOUT_S)
			rc = -EINTR;
		if (atomic_load(&c->gate.generation) == closed &&
			sd_clock_s() - begin > GATE_TIMEOUT_S)
			rc = -ETIMEDOUT;
	}
	if (rc) {
		atomic_store(&c->gate.abandoned, 1);
		c->broken = 1;
	}
	return rc ? rc : stopped > 0 ? -EINTR : 0;
}

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* One shared mapping: control, members, what the kernel asked for, jobs and the caller's tables. */
static int map_control(struct sd_team *team)
{
	const size_t n = team->n, page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t at_member = round_up(sizeof(struct sd_team_control), 128);
	const size_t at_shared = at_member + n * sizeof(struct sd_member);
	const size_t at_job = at_shared + round_up(team->shared_bytes, 128);
	const size_t at_place = at_job + round_up(n * sizeof(struct sd_team_job), 128);
	const size_t at_thread = at_place + n * sizeof(struct sd_team_place);
	const size_t at_pid = at_thread + n * sizeof(pthread_t);
	const size_t bytes = round_up(at_pid + n * sizeof(pid_t), page);
	unsigned char *p =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -ENOMEM;
	team->control = (struct sd_team_control *)(void *)p;
	team->member = (struct sd_member *)(void *)(p + at_member);
	team->shared = p + at_shared;
	team->control->mapped = bytes;
	team->control->job = (struct sd_team_job *)(void *)(p + at_job);
	team->control->place = (struct sd_team_place *)(void *)(p + at_place);
	team->control->thread = (pthread_t *)(void *)(p + at_thread);
	team->control->pid = (pid_t *)(void *)(p + at_pid);
	return 0;
}

int sd_team_start(struct sd_team *team, enum sd_team_kind kind, const struct sd_cpulist *cpus,
	size_t shared_bytes)
{
	int rc;

	*team = (struct sd_team){
		.kind = kind, .n = (unsigned)cpus->n, .shared_bytes = shared_bytes};
	if (cpus->n == 0 || cpus->n > SD_CPU_MAX)
		return -EINVAL;
	rc = map_control(team);
	if (rc) {
		*team = (struct sd_team){0};
		return rc;
	}
	for (unsigned i = 0; i < team->n; i++) {
		team->member[i] = (struct sd_member){.rank = i,
			.size = team->n,
			.cpu = cpus->cpu[i],
			.gate = &team->control->gate};
		team->control->place[i].control = team->control;
		team->control->place[i].member = &team->member[i];
	}
	for (unsigned i = 0; rc == 0 && i < team->n; i++) {
		rc = launch(team, i);
		team->control->n_started += rc == 0;
	}
	if (rc == 0)
		rc = await(team, team->n, UINT32_MAX, NULL);
	for (unsigned i = 0; rc == 0 && i < team->n; i++)
		rc = team->member[i].rc;
	if (rc)
		sd_team_end(team);
	return rc;
}

/* The jobs are in control->job; everything is set before the command is given. */
static int command(struct sd_team *team, const volatile sig_atomic_t *stop)
{
	struct sd_team_control *c = team->control;
	unsigned size = 0, closed;
	int rc;

	if (c->broken)
		return -ECHILD;
	if (stop && *stop)
		return -EINTR;
	for (unsigned i = 0; i < team->n; i++)
		size += c->job[i].run != NULL;
	if (size == 0)
		return 0;
	for (unsigned i = 0; i < team->n; i++) {
		team->member[i].size = size;
		team->member[i].rc = 0;
	}
	closed = atomic_load(&c->gate.generation);
	atomic_store(&c->gate.size, size);
	atomic_store(&c->gate.arrived, 0);
	atomic_store(&c->gate.ended, 0);
	atomic_store(&c->gate.stopped, 0);
	atomic_store(&c->done, 0);
	for (unsigned i = 0; i < team->n; i++)
		if (c->job[i].run)
			atomic_fetch_add(&c->place[i].orders, 1);
	atomic_fetch_add(&c->command, 1);
	sd_team_futex_wake(&c->command, INT32_MAX);
	rc = await(team, size, closed, stop);
	for (unsigned i = 0; rc == 0 && i < team->n; i++)
		rc = c->job[i].run ? team->member[i].rc : 0;
	return rc;
}

int sd_team_run(struct sd_team *team, struct sd_team_job job, unsigned size,
	const volatile sig_atomic_t *stop)
{
	const struct sd_team_job none = {NULL, NULL};

	for (unsigned i = 0; i < team->n; i++)
		team->control->job[i] = size == 0 || i < size ? job : none;
	return command(team, stop);
}

int sd_team_run_each(
	struct sd_team *team, const struct sd_team_job *job, const volatile sig_atomic_t *stop)
{
	for (unsigned i = 0; i < team->n; i++)
		team->control->job[i] = job[i];
	return command(team, stop);
}

double sd_team_elapsed(const struct sd_team *team)
{
	double first = 0, last = 0;
	int any = 0;

	for (unsigned i = 0; i < team->n; i++) {
		const struct sd_member *m = &team->member[i];

		if (!team->control->job[i].run)
			continue;
		first = !any || m->start < first ? m->start : first;
		last = !any || m->stop > last ? m->stop : last;
		any = 1;
	}
	return last - first;
}

double sd_team_delay(const struct sd_team *team)
{
	const double elapsed = sd_team_elapsed(team);
	double worst = -1;

	for (unsigned i = 0; i < team->n; i++)
		if (team->control->job[i].run && team->member[i].delay > worst)
			worst = team->member[i].delay;
	return worst < 0 || elapsed <= 0 ? -1 : worst / elapsed;
}

double sd_team_width(const struct sd_team *team)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < team->n; i++) {
		if (!team->control->job[i].run)
			continue;
		if (!(team->member[i].width > 0))
			return 0;
		sum += team->member[i].width;
		n++;
	}
	return n ? sum / n : 0;
}

int sd_team_moved(const struct sd_team *team)
{
	for (unsigned i = 0; i < team->n; i++)
		if (team->control->job[i].run && team->member[i].flags & SD_MEMBER_MOVED)
			return 1;
	return 0;
}

void sd_team_end(struct sd_team *team)
{
	struct sd_team_control *c = team->control;

	if (!c)
		return;
	atomic_store(&c->gate.abandoned, 1);
	atomic_store(&c->gate.stopped, 1);
	atomic_store(&c->gate.ended, 1);
	atomic_store(&c->quit, 1);
	atomic_fetch_add(&c->command, 1);
	sd_team_futex_wake(&c->command, INT32_MAX);
	for (unsigned i = 0; i < c->n_started; i++) {
		if (team->kind == SD_TEAM_THREADS) {
			pthread_join(c->thread[i], NULL);
		} else if (c->pid[i] > 0) {
			/* a stuck or stopped one is not waited for */
			if (c->broken)
				kill(c->pid[i], SIGKILL);
			(void)sd_child_end_await(c->pid[i], SD_CHILD_END_S, NULL);
		}
	}
	munmap(c, c->mapped);
	*team = (struct sd_team){0};
}
