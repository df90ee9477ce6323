/*
 * Which calls of a kind are timed. A lock may be taken, or a piece of a loop asked for, every 20
 * ns, and to read the clock before and after takes twice as long, for a lock half of it while it is
 * held: of calls that come faster than one in APART ns only some are timed, each for all since the
 * one before it. Which ones is drawn: threads take turns at locks.
 */
#ifndef SD_OMP_PACE_H
#define SD_OMP_PACE_H

#include "preload/omp_preload.h"

#define SD_OMP_PACE_APART 20000u
#define SD_OMP_PACE_MOST_SKIPPED 1024u

/* A thread's; zeroed at first. */
struct sd_omp_pace {
	uint64_t last; /* when the latest was timed; 0: none */
	int32_t left;  /* calls to the next that is timed */
	uint32_t passed, each, random;
	uint64_t since_last; /* ns from the timed one before to the latest */
	uint32_t clock;      /* ns that reading the clock twice takes: a part of what is timed */
};

static inline uint32_t sd_omp_pace_drawn(struct sd_omp_pace *p, uint32_t mean)
{
	p->random = p->random * 1664525u + 1013904223u;
	return mean / 2 + p->random / 65536u * mean / 65536u + 1;
}

/* Is this call none of those that are timed? */
static inline int sd_omp_pace_passes(struct sd_omp_pace *p)
{
	return __builtin_expect(--p->left > 0, 1);
}

/* The time before a call that is timed; 0: it is none of a region's. */
static inline uint64_t sd_omp_pace_before(struct sd_omp_pace *p, const struct sd_omp_member *m)
{
	const uint64_t now = m ? sd_omp_now() : 0;
	uint64_t between;

	if (!m) {
		p->each = 1;
		p->left = 1;
		return 0;
	}
	p->passed = (uint32_t)((int64_t)p->each - p->left);
	between = p->last && now > p->last ? (now - p->last) / p->passed + 1 : SD_OMP_PACE_APART;
	p->each = between < SD_OMP_PACE_APART ? (uint32_t)(SD_OMP_PACE_APART / between) : 1;
	if (p->each > SD_OMP_PACE_MOST_SKIPPED)
		p->each = SD_OMP_PACE_MOST_SKIPPED;
	if (p->each > 1)
		p->each = sd_omp_pace_drawn(p, p->each);
	p->left = (int32_t)p->each;
	p->since_last = p->last && now > p->last ? now - p->last : 0;
	p->last = now;
	return now;
}

/* The least ns between two looks at the clock. */
static inline uint32_t sd_omp_pace_clock(void)
{
	uint64_t least = UINT32_MAX, was = sd_omp_now();

	for (int i = 0; i < 16; i++) {
		const uint64_t now = sd_omp_now();

		least = now - was < least ? now - was : least;
		was = now;
	}
	return (uint32_t)least;
}

/* ns of the calls that a timed one, which began at `since`, stands for; 0 for one that was not.
 * They took no longer than it has been since the one before, so that one in which the thread lost
 * its CPU does not count for all. */
static inline uint64_t sd_omp_pace_after(
	struct sd_omp_pace *p, struct sd_omp_member *m, uint64_t since)
{
	uint64_t took, all;

	if (!since)
		return 0;
	m->calls += p->passed + SD_OMP_LOG_TIMED;
	took = sd_omp_now() - since;
	if (p->clock == 0)
		p->clock = sd_omp_pace_clock();
	all = p->passed * (took > p->clock ? took - p->clock : 0);
	p->passed = 0;
	return all < p->since_last + took ? all : p->since_last + took;
}

#endif
