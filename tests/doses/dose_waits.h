/*
 * Causes of tests/doses/dose.c that have threads wait. Each does an amount of work, of which a
 * share meets the cause, and adds up what its own steps took.
 */
#ifndef DOSE_WAITS_H
#define DOSE_WAITS_H

#include <fcntl.h>
#include <unistd.h>

#include "dose_run.h"

/* Thread 0 works while all others have to wait for it: an amount of work that the cause is, and
 * as many s of each of them, by its CPU time, so that it is the same beside others. */
__attribute__((noinline)) static void dose_alone(
	struct dose_thread *t, double amount, struct dose_sum *sum)
{
	const double from = dose_clock(CLOCK_THREAD_CPUTIME_ID);

	if (t->id != 0 || amount <= 0)
		return;
	work(amount);
	sum->met += amount;
	sum->cost += (dose_clock(CLOCK_THREAD_CPUTIME_ID) - from) * (t->run->n - 1);
}

/* Thread 0 alone does a share of each round. */
static inline void dose_serial(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	const long rounds = dose_rounds(amount, DOSE_ROUND);
	const double round = amount / (double)rounds, alone = d->bad ? d->share * round : 0;

	for (long i = 0; i < rounds; i++) {
		dose_alone(t, alone, sum);
		pthread_barrier_wait(&t->run->gate);
		work((round - alone) / t->run->n);
		pthread_barrier_wait(&t->run->gate);
	}
}

/* A thread's part of a round, in one loop of the same code for all. */
__attribute__((noinline)) static double dose_part(double amount)
{
	const double from = dose_clock(CLOCK_THREAD_CPUTIME_ID);

	work(amount);
	return dose_clock(CLOCK_THREAD_CPUTIME_ID) - from;
}

/* Thread 0 has a share of each round more than the others, which wait for as much of its time. */
static inline void dose_late(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	const long rounds = dose_rounds(amount, DOSE_ROUND);
	const double round = amount / (double)rounds, more = d->bad ? d->share * round : 0;
	const double part = (round - more) / t->run->n + (t->id == 0 ? more : 0);

	for (long i = 0; i < rounds; i++) {
		const double took = dose_part(part);

		if (t->id == 0) {
			sum->met += more;
			sum->cost += took * more / part * (t->run->n - 1);
		}
		pthread_barrier_wait(&t->run->gate);
	}
}

/* The price of a wake-up, s, as it is seen on virtual machines: a share is of that and work. */
#define DOSE_WAKE 30e-6

static inline void dose_barrier(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	const long rounds = dose_rounds(amount, 2 * DOSE_WAKE * (1 - d->share) / d->share);

	for (long i = 0; i < rounds; i++) {
		const double from = (work(amount / (double)rounds / t->run->n), dose_now());

		if (d->bad || i == rounds - 1)
			pthread_barrier_wait(&t->run->gate);
		sum->cost += dose_now() - from;
	}
	sum->met += d->bad ? d->share * amount / t->run->n : 0;
}

#define DOSE_NAP 1e-3 /* s, of a sleep */

static inline void dose_sleep(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	const long naps = dose_rounds(amount, DOSE_NAP * (1 - d->share) / d->share);
	const struct timespec nap = {.tv_nsec = (long)(1e9 * DOSE_NAP)};

	for (long i = dose_own(t, naps); i > 0; i--) {
		const double from = (work(amount / (double)naps), dose_off());

		if (d->bad)
			nanosleep(&nap, NULL);
		sum->met += d->bad ? d->share * amount / (double)naps : 0;
		sum->cost += dose_off() - from;
	}
}

#define DOSE_SYNC 1e-3 /* s, of an fsync as disks take it */

/* Each thread has a file of its own in the working folder. */
static inline void dose_disk(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	const long syncs = dose_rounds(amount, DOSE_SYNC * (1 - d->share) / d->share);
	char path[] = "dose-XXXXXX";
	const int fd = mkostemp(path, O_CLOEXEC);

	unlink(path);
	for (long i = dose_own(t, syncs); i > 0; i--) {
		const double from = (work(amount / (double)syncs), dose_off());

		if (fd < 0 || write(fd, &i, sizeof i) != sizeof i ||
			((d->bad || i == 1) && fsync(fd)))
			abort();
		sum->met += d->bad ? d->share * amount / (double)syncs : 0;
		sum->cost += dose_off() - from;
	}
	close(fd);
}

/* This thread stays on the n-th CPU of those that there are. */
static inline void dose_bind(const struct dose_thread *t, unsigned n)
{
	cpu_set_t one;

	n %= (unsigned)CPU_COUNT(&t->run->all);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &t->run->all) && n-- == 0)
			CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one))
		abort();
}

#define DOSE_PIECE 5e-5 /* s of work that a thread takes at once */

/* Works with the others until they have had all pieces up to this one: nobody waits for who had the
 * CPU last. s of work. */
static inline double dose_pieces(struct dose_thread *t, long end, double piece)
{
	long *const taken = &t->run->taken[t->turn];
	double mine = 0;

	for (long k = __atomic_load_n(taken, __ATOMIC_RELAXED); k < end;)
		if (__atomic_compare_exchange_n(
			    taken, &k, k + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			work(piece);
			mine += piece;
			k++;
		}
	return mine;
}

/* All threads have to be on one CPU for a share of each round. */
static inline void dose_crowd(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	const long rounds = dose_rounds(amount, DOSE_ROUND);
	const double round = amount / (double)rounds;
	const long pieces = dose_rounds(d->share * round, DOSE_PIECE);
	const double piece = d->share * round / (double)pieces;

	for (long i = 0; i < rounds; i++) {
		const double from = dose_off();

		dose_bind(t, d->bad ? 0 : t->id);
		sum->met += dose_pieces(t, (i + 1) * pieces, piece);
		pthread_barrier_wait(&t->run->gate);
		sum->cost += dose_off() - from;
		dose_bind(t, t->id);
		work((1 - d->share) * round / t->run->n);
		pthread_barrier_wait(&t->run->gate);
	}
}

/* A quota of CPUs, as whoever starts this set it for its cgroup: nothing but a quota that is used
 * up takes a CPU from threads that only compute. They end together, whoever had it more. */
static inline void dose_quota(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	const long pieces = dose_rounds(amount, DOSE_PIECE);
	const double from = dose_off();
	const double mine = dose_pieces(t, pieces, amount / (double)pieces);

	sum->met += d->bad ? d->share * mine : 0;
	sum->cost += dose_off() - from;
}

#endif
