/*
 * A team of pinned threads or processes: every job starts through one gate and is timed by its own
 * member.
 *
 * Members live as long as the team and sleep between jobs; the caller is not a member and sleeps
 * while they work. A process member was forked when the team was made: a job's argument must lie in
 * memory made before that and never changed since, or in team->shared.
 */
#ifndef SD_TEAM_H
#define SD_TEAM_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"

enum sd_team_kind { SD_TEAM_THREADS, SD_TEAM_PROCESSES };

/* "threads", "processes"; static. */
const char *sd_team_kind_name(enum sd_team_kind kind);

#define SD_MEMBER_MOVED 0x1u /* was not on its CPU when the job ended: the CPU went offline */

/* One of the team. Lies in memory that all members and the caller see, two lines apart. */
struct sd_member {
	_Alignas(128) unsigned rank; /* 0..size-1 */
	unsigned size;               /* members of this job */
	unsigned cpu;
	/* of the last job, written by the harness: */
	double start, stop; /* s, CLOCK_MONOTONIC of this member, from the gate to the job's end */
	double delay;       /* s this member was ready but had no CPU between start and stop; < 0
			       unknown */
	double width; /* of its CPU (core_width.h), the least just before and after; 0 unknown */
	long involuntary; /* preemptions between start and stop */
	unsigned flags;   /* SD_MEMBER_* */
	int rc;           /* what the job returned: 0 or -errno */
	/* of the last job, written by the job as it likes: */
	uint64_t work;
	double value;
	struct sd_team_gate *gate; /* for sd_member_gate */
};

struct sd_team {
	enum sd_team_kind kind;
	unsigned n;
	struct sd_member *member; /* [n] */
	void *shared;             /* zeroed memory that all members see; 128-byte aligned */
	size_t shared_bytes;
	struct sd_team_control *control; /* the harness's own */
};

/* The work of a member, between its start and stop. Nothing in it allocates, prints or locks. */
struct sd_team_job {
	int (*run)(struct sd_member *m, void *arg);
	void *arg;
};

/*
 * Makes a team of one member a CPU of `cpus`, each pinned there, waiting. 0; -errno, *team empty:
 * -EINVAL when a CPU is offline or outside this process's cpuset, -EPERM when the kernel refuses,
 * -EAGAIN or -ENOMEM when there is no room for a thread or process.
 */
int sd_team_start(struct sd_team *team, enum sd_team_kind kind, const struct sd_cpulist *cpus,
	size_t shared_bytes);

/*
 * Lets the first `size` members (0 = all) run the job once and waits for them. The gate opens when
 * all of them are running on their CPUs. 0; the first member's rc that is not 0; -EINTR when *stop
 * became set and the job was not started or the members did not end within a second (the team can
 * only be ended then); -ECHILD when a process member died; -ETIMEDOUT when the gate did not open
 * within 10 s.
 */
int sd_team_run(struct sd_team *team, struct sd_team_job job, unsigned size,
	const volatile sig_atomic_t *stop);

/*
 * A different job for every member: job[rank]. For one chaser among traffic, for a reader and a
 * writer. `team->n` jobs; a job without a function means the member stays asleep and does not count
 * for the gate. The array itself is copied.
 */
int sd_team_run_each(
	struct sd_team *team, const struct sd_team_job *job, const volatile sig_atomic_t *stop);

/* From the first start to the last stop of the members that took part in the last job, s. */
double sd_team_elapsed(const struct sd_team *team);
/* The longest delay of a member in the last job as a fraction of the elapsed time; < 0 unknown. */
double sd_team_delay(const struct sd_team *team);
/* Mean width of the CPUs of the members in the last job; 0 unknown. */
double sd_team_width(const struct sd_team *team);
/* Some member of the last job was not on its CPU. */
int sd_team_moved(const struct sd_team *team);

/*
 * Set for the members of a run_each when the first of them has ended: what a traffic generator
 * polls.
 */
int sd_member_ended(const struct sd_member *m);

/* Set when *stop became set while the job ran: what takes longer than a moment looks at it. */
int sd_member_stopped(const struct sd_member *m);

/* Inside a job: waits (actively) until all members of the job are here; for phases. */
void sd_member_gate(struct sd_member *m);

/* Ends all members and frees everything; accepts the zeroed value. No process is left. */
void sd_team_end(struct sd_team *team);

/* Tells the CPU that this is a spinning loop. */
static inline void sd_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

#endif
