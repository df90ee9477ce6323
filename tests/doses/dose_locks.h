/*
 * Causes of tests/doses/dose.c by locks: a share of each section of the work is done under one
 * lock.
 */
#ifndef DOSE_LOCKS_H
#define DOSE_LOCKS_H

#include "dose_run.h"

/* Work outside of the lock is of uneven length, by the number of the section, so that threads that
 * take turns meet; its mean is 1, and the sum the same for all numbers of threads. */
static inline double dose_uneven(long section)
{
	const uint64_t x = ((uint64_t)section + 1) * 0x9e3779b97f4a7c15u;

	return 2 * (double)(x >> 11) * 0x1p-53;
}

#define DOSE_SECTION 2e-4 /* s of work: a share of it under the lock */

struct dose_lock {
	int (*take)(void *);
	int (*leave)(void *);
	void *lock;
};

/* The threads share the sections, since a lock need not be fair. */
static inline long dose_next(struct dose_thread *t, long sections, const struct dose_lock *l,
	double held, struct dose_sum *sum)
{
	const double from = dose_now();
	long mine;

	l->take(l->lock);
	sum->cost += dose_now() - from;
	mine = t->run->taken[t->turn] < sections ? t->run->taken[t->turn]++ : -1;
	if (mine >= 0)
		work(held);
	l->leave(l->lock);
	return mine;
}

static inline void dose_locked(struct dose_thread *t, const struct dose *d, double amount,
	const struct dose_lock *l, struct dose_sum *sum)
{
	const long sections = dose_rounds(amount, DOSE_SECTION);
	const double section = amount / (double)sections, held = d->share * section;

	for (long i = 0, mine = 0;; i++) {
		if (d->bad)
			mine = dose_next(t, sections, l, held, sum);
		else /* a stripe each, whose lock nobody else takes */
			mine = i < dose_own(t, sections) ? i * (long)t->run->n + t->id : -1;
		if (mine < 0)
			return;
		if (!d->bad)
			work(held);
		sum->met += held;
		work((section - held) * dose_uneven(mine));
	}
}

static inline int dose_take_mutex(void *m)
{
	return pthread_mutex_lock(m);
}

static inline int dose_leave_mutex(void *m)
{
	return pthread_mutex_unlock(m);
}

static inline int dose_take_spin(void *s)
{
	return pthread_spin_lock((pthread_spinlock_t *)s);
}

static inline int dose_leave_spin(void *s)
{
	return pthread_spin_unlock((pthread_spinlock_t *)s);
}

static inline void dose_mutex(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	dose_locked(t, d, amount,
		&(struct dose_lock){dose_take_mutex, dose_leave_mutex, &t->run->mutex}, sum);
}

static inline void dose_spin(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	dose_locked(t, d, amount,
		&(struct dose_lock){
			dose_take_spin, dose_leave_spin, (void *)(uintptr_t)&t->run->spin},
		sum);
}

#endif
