/*
 * A run of tests/doses/dose.c: its threads, its causes, and what these took.
 */
#ifndef DOSE_RUN_H
#define DOSE_RUN_H

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "dose_log.h"
#include "team.h"
#include "work.h"

#define DOSE_MOST .9 /* share */
#define DOSE_BLOCK 65536
#define DOSE_ROUND .02 /* s of work between two meetings of all threads */

struct dose_sum {
	double met;  /* s of work that met it */
	double cost; /* s, by the clock */
};

struct dose_thread;
struct dose_kind;

struct dose {
	const struct dose_kind *kind;
	double share;
	int bad;
};

struct dose_kind {
	const char *name;
	void (*run)(
		struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum);
};

struct dose_word {
	_Alignas(128) volatile long padded;
};

struct dose_run {
	unsigned n;
	double amount;
	struct dose dose[DOSE_TOGETHER];
	size_t n_dose;
	struct dose_sum sum[DOSE_TOGETHER]; /* under the mutex */
	double ready;                       /* s, likewise */
	pthread_barrier_t gate;
	pthread_mutex_t mutex;
	pthread_spinlock_t spin;
	_Alignas(128) long taken[DOSE_TOGETHER *
				 8]; /* sections, a turn: under the lock that is measured */
	int file;
	cpu_set_t all;
	_Alignas(128) volatile long beside[TEAM_MAX];
	struct dose_word apart[TEAM_MAX];
};

struct dose_thread {
	unsigned id, turn;
	struct dose_run *run;
	struct dose_sum sum[DOSE_TOGETHER];
};

static inline double dose_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double dose_now(void)
{
	return dose_clock(CLOCK_MONOTONIC);
}

/* s that this thread has spent off its CPU, since some moment. */
static inline double dose_off(void)
{
	return dose_now() - dose_clock(CLOCK_THREAD_CPUTIME_ID);
}

static inline long dose_rounds(double amount, double round)
{
	return (long)(amount / round + .5) > 0 ? (long)(amount / round + .5) : 1;
}

/* Sections of this thread, of all. */
static inline long dose_own(const struct dose_thread *t, long all)
{
	const long n = t->run->n;

	return all / n + (t->id < (unsigned long)(all % n));
}

#endif
