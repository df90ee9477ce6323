#include "harness/team_control.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/core_width.h"
#include "base/clock.h"

#define POLL_NS 50000000L /* how often a sleeping caller looks for Ctrl-C and dead members */
#define SPINS_PER_YIELD (1u << 14)

void sd_team_futex_wait(atomic_uint *word, unsigned value)
{
	const struct timespec timeout = {.tv_nsec = POLL_NS};

	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

void sd_team_futex_wake(atomic_uint *word, int n)
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

int sd_member_stopped(const struct sd_member *m)
{
	return atomic_load_explicit(&m->gate->stopped, memory_order_relaxed);
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
	double before, width;
	long switches;

	m->flags = 0;
	m->rc = gate_pass(&c->gate);
	m->width = sd_core_width_look();
	before = run_delay(schedstat);
	switches = preemptions();
	if (m->rc == 0)
		m->rc = gate_pass(&c->gate);
	m->start = sd_clock_s();
	if (m->rc == 0)
		m->rc = job.run(m, job.arg);
	m->stop = sd_clock_s();
	atomic_store(&c->gate.ended, 1);
	m->involuntary = preemptions() - switches;
	width = sd_core_width_look();
	m->width = m->width > 0 && width > 0 ? (width < m->width ? width : m->width) : 0;
	m->delay = before < 0 ? -1 : run_delay(schedstat) - before;
	if (sched_getcpu() != (int)m->cpu)
		m->flags |= SD_MEMBER_MOVED;
}

static void report_ready(struct sd_team_control *c, unsigned expected)
{
	if (atomic_fetch_add(&c->done, 1) + 1 == expected)
		sd_team_futex_wake(&c->done, 1);
}

void sd_team_member(struct sd_team_place *p)
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
			sd_team_futex_wait(&c->command, now);
			continue;
		}
		obeyed++;
		work(c, m, schedstat);
		report_ready(c, atomic_load(&c->gate.size));
	}
	if (schedstat >= 0)
		close(schedstat);
}
