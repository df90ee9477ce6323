/*
 * Causes of tests/doses/dose.c that make code slower, or more of it. Each does an amount of work,
 * of which a share meets the cause, and adds up what its own steps took.
 */
#ifndef DOSE_GROWTH_H
#define DOSE_GROWTH_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dose_run.h"

__attribute__((noinline)) static void dose_repeated(double amount)
{
	work(amount);
}

/* Every thread does the share again that one had to do. */
static inline void dose_extra(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	const double from = dose_now(), repeated = d->share * amount;

	dose_repeated(d->bad ? repeated : repeated / t->run->n);
	sum->met += repeated / t->run->n;
	sum->cost += dose_now() - from;
	work((amount - repeated) / t->run->n);
}

#define DOSE_STEP (64 / WORK_STEPS) /* s of work */

/* A share of the steps counts, the others compute only. */
static inline void dose_count(struct dose_thread *t, const struct dose *d, double amount,
	volatile long *word, int atomic, struct dose_sum *sum)
{
	const long steps = dose_own(t, (long)(amount / DOSE_STEP));
	const long every = (long)(1 / d->share + .5);
	const double from = dose_now();
	long met = 0;

	for (long i = 0; i < steps; i++) {
		work(DOSE_STEP);
		if (i % every)
			continue;
		if (atomic)
			__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
		else
			++*word;
		met++;
	}
	sum->met += (double)met * DOSE_STEP;
	sum->cost += dose_now() - from;
}

static inline void dose_false(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	dose_count(t, d, amount, d->bad ? &t->run->beside[t->id] : &t->run->apart[t->id].padded, 0,
		sum);
}

static inline void dose_true(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	dose_count(
		t, d, amount, d->bad ? &t->run->beside[0] : &t->run->apart[t->id].padded, 1, sum);
}

/* A step that takes about so many s on one core, and an equal number of them in all. */
static inline void dose_steps(struct dose_thread *t, const struct dose *d, double amount,
	double step, void (*once)(void *), void *arg, struct dose_sum *sum)
{
	const long steps = dose_rounds(amount, step * (1 - d->share) / d->share);

	for (long i = dose_own(t, steps); i > 0; i--) {
		const double from = (work(amount / (double)steps), dose_now());

		once(arg);
		sum->met += d->share * amount / (double)steps;
		sum->cost += dose_now() - from;
	}
}

#define DOSE_BLOCKS 32

/* Sizes that no thread's own cache of blocks has room for. */
static inline void dose_blocks(void *arg)
{
	void *block[DOSE_BLOCKS];

	(void)arg;
	for (size_t i = 0; i < DOSE_BLOCKS; i++)
		if (!(block[i] = malloc(1100 + 97 * i)))
			abort();
	for (size_t i = 0; i < DOSE_BLOCKS; i++)
		free(block[i]);
}

static inline void dose_allocator(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	dose_steps(t, d, amount, 3e-6, dose_blocks, NULL, sum);
}

/* Whoever reads by the position of a descriptor has it alone meanwhile. */
static inline void dose_read_block(void *arg)
{
	static _Thread_local char block[DOSE_BLOCK];
	const int fd = *(int *)arg;

	if (lseek(fd, 0, SEEK_SET) < 0 || read(fd, block, sizeof block) < 0)
		abort();
}

static inline void dose_position(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	char path[32];
	int fd = t->run->file;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (!d->bad && (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		abort();
	dose_steps(t, d, amount, 8e-6, dose_read_block, &fd, sum);
	if (!d->bad)
		close(fd);
}

#define DOSE_PAGES 64

static inline void dose_touch(void *arg)
{
	const size_t page = 4096, bytes = DOSE_PAGES * page;
	char *const own = arg;
	char *const at =
		own ? own
		    : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	for (size_t i = 0; i < bytes; i += page)
		((volatile char *)at)[i]++;
	if (!own)
		munmap(at, bytes);
}

/* New memory every time, or the same again. */
static inline void dose_faults(
	struct dose_thread *t, const struct dose *d, double amount, struct dose_sum *sum)
{
	void *const own = d->bad ? NULL : calloc(DOSE_PAGES, 4096);

	dose_steps(t, d, amount, 5e-4, dose_touch, own, sum);
	free(own);
}

#endif
