#include "team.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GATE_TIMEOUT_S 10.0 /* for CPUs that are busy with something else */
#define STOP_TIMEOUT_S 1.0
#define POLL_NS 50000000L /* how often the sleeping caller looks for Ctrl-C and dead members */
#define SPINS_PER_YIELD (1u << 14)

/* Where members meet. A generation counter lets the same gate be used again and again. */
struct sd_team_gate {
	_Alignas(128) atomic_uint arrived;
	_Alignas(128) atomic_uint generation;
	_Alignas(128) atomic_uint size;
	atomic_int abandoned; /* the caller gave up: nobody waits here any more */
	atomic_int ended;     /* the first member has ended its job */
};

struct sd_team_control {
	_Alignas(128) atomic_uint command; /* a futex: counts the jobs; members sleep on it */
	_Alignas(128) atomic_uint done;    /* a futex: members that are ready with the job */
	_Alignas(128) atomic_int quit;
	struct sd_team_gate gate;
	size_t mapped; /* of the whole shared mapping */
	pthread_t *thread;
	pid_t *pid;
	unsigned n_started;
	int broken; /* a member died or is stuck: the team can only be ended */
	struct sd_team_job *job;
	struct sd_team_place *place;
};

/*
 * What a member needs to find itself, and how many jobs were for it. Only that number makes it look
 * at its job: a member left out of a command may wake up when the next one is being written.
 */
struct sd_team_place {
	struct sd_team_control *control;
	struct sd_member *member;
	atomic_uint orders;
};

const char *sd_team_kind_name(enum sd_team_kind kind)
{
	return kind == SD_TEAM_PROCESSES ? "processes" : "threads";
}

double sd_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void futex_wait(atomic_uint *word, unsigned value)
{
	const struct timespec timeout = {.tv_nsec = POLL_NS};

	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

static void futex_wake(atomic_uint *word, int n)
{
	syscall(SYS_futex, word, FUTEX_WAKE, n, NULL, NULL, 0);
}

static int pin(unsigned cpu)
{
	const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int rc;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	rc = sched_setaffinity(0, bytes, set) == 0 ? 0 : -errno;
	CPU_FREE(set);
	return rc;
}

/* Waits until all members are at the gate: 0, or -ETIMEDOUT when the caller has given up. */
static int gate_pass(struct sd_team_gate *g)
{
	const unsigned generation = atomic_load(&g->generation);

	if (atomic_fetch_add(&g->arrived, 1) + 1 == atomic_load(&g->size)) {
		atomic_store(&g->arrived, 0);
		atomic_store(&g->generation, generation + 1);
		return 0;
	}
	for (unsigned spins = 0;
		atomic_load_explicit(&g->generation, memory_order_acquire) == generation; spins++) {
		if (spins % 256 == 255 && atomic_load(&g->abandoned))
			return -ETIMEDOUT;
		/* members that share a CPU have to let each other arrive */
		if (spins % SPINS_PER_YIELD == SPINS_PER_YIELD - 1)
			sched_yield();
		sd_relax();
	}
	return 0;
}

void sd_member_gate(struct sd_member *m)
{
	gate_pass(m->gate);
}

int sd_member_ended(const struct sd_member *m)
{
	return atomic_load_explicit(&m->gate->ended, memory_order_relaxed);
}

/* Seconds this thread was ready but not running, from the second number of its schedstat. */
static double run_delay(int fd)
{
	char text[96], *end;
	const ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
	const char *space;
	unsigned long long ns;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	space = strchr(text, ' ');
	if (!space)
		return -1;
	ns = strtoull(space + 1, &end, 10);
	return end == space + 1 ? -1 : 1e-9 * (double)ns;
}

static long preemptions(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_nivcsw : 0;
}

/* One job of one member: two gates, so that reading the counters is not in the measured time. */
static void work(struct sd_team_control *c, struct sd_member *m, int schedstat)
{
	const struct sd_team_job job = c->job[m->rank];
	double before;
	long switches;

	m->flags = 0;
	m->rc = gate_pass(&c->gate);
	before = run_delay(schedstat);
	switches = preemptions();
	if (m->rc == 0)
		m->rc = gate_pass(&c->gate);
	m->start = sd_now();
	if (m->rc == 0)
		m->rc = job.run(m, job.arg);
	m->stop = sd_now();
	atomic_store(&c->gate.ended, 1);
	m->involuntary = preemptions() - switches;
	m->delay = before < 0 ? -1 : run_delay(schedstat) - before;
	if (sched_getcpu() != (int)m->cpu)
		m->flags |= SD_MEMBER_MOVED;
}

static void report_ready(struct sd_team_control *c, unsigned expected)
{
	if (atomic_fetch_add(&c->done, 1) + 1 == expected)
		futex_wake(&c->done, 1);
}

static void member_main(struct sd_team_place *p)
{
	struct sd_team_control *c = p->control;
	struct sd_member *m = p->member;
	unsigned obeyed = 0;
	int schedstat;

	m->rc = pin(m->cpu);
	schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	report_ready(c, m->size);
	while (!atomic_load(&c->quit)) {
		const unsigned now = atomic_load(&c->command);

		if (atomic_load(&p->orders) == obeyed) {
			futex_wait(&c->command, now);
			continue;
		}
		obeyed++;
		work(c, m, schedstat);
		report_ready(c, atomic_load(&c->gate.size));
	}
	if (schedstat >= 0)
		close(schedstat);
}

static void *thread_main(void *arg)
{
	member_main(arg);
	return NULL;
}

/* A child: dies with its parent, and leaves Ctrl-C to it. */
static void process_main(struct sd_team_place *p, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	if (getppid() == parent)
		member_main(p);
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

/* Has a process member died? Its end is collected here. */
static int lost_member(struct sd_team *team)
{
	struct sd_team_control *c = team->control;

	for (unsigned i = 0; team->kind == SD_TEAM_PROCESSES && i < c->n_started; i++)
		if (c->pid[i] > 0 && waitpid(c->pid[i], NULL, WNOHANG) == c->pid[i]) {
			c->pid[i] = -1;
			return 1;
		}
	return 0;
}

/* Sleeps until `expected` members are ready. The gate opening is `generation` leaving `closed`. */
static int await(
	struct sd_team *team, unsigned expected, unsigned closed, const volatile sig_atomic_t *stop)
{
	struct sd_team_control *c = team->control;
	const double begin = sd_now();
	double stopped = 0;
	int rc = 0;

	for (unsigned done; rc == 0 && (done = atomic_load(&c->done)) < expected;) {
		futex_wait(&c->done, done);
		if (lost_member(team))
			rc = -ECHILD;
		if (stop && *stop && stopped <= 0) {
			stopped = sd_now();
			atomic_store(&c->gate.ended, 1);
		}
		if (stopped > 0 && sd_now() - stopped > STOP_TIMEOUT_S)
			rc = -EINTR;
		if (atomic_load(&c->gate.generation) == closed && sd_now() - begin > GATE_TIMEOUT_S)
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
	atomic_store(&c->done, 0);
	for (unsigned i = 0; i < team->n; i++)
		if (c->job[i].run)
			atomic_fetch_add(&c->place[i].orders, 1);
	atomic_fetch_add(&c->command, 1);
	futex_wake(&c->command, INT32_MAX);
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
	atomic_store(&c->gate.ended, 1);
	atomic_store(&c->quit, 1);
	atomic_fetch_add(&c->command, 1);
	futex_wake(&c->command, INT32_MAX);
	for (unsigned i = 0; i < c->n_started; i++) {
		if (team->kind == SD_TEAM_THREADS) {
			pthread_join(c->thread[i], NULL);
		} else if (c->pid[i] > 0) {
			/* a stuck or stopped one is not waited for */
			if (c->broken)
				kill(c->pid[i], SIGKILL);
			while (waitpid(c->pid[i], NULL, 0) < 0 && errno == EINTR)
				;
		}
	}
	munmap(c, c->mapped);
	*team = (struct sd_team){0};
}
