/*
 * A witness of what a machine does to a measurement that does not ask the program under test: CPU
 * time that others took (others.h), and a reference loop timed before and after, which tells of a
 * core that is shared unseen, of a clock that changed, and of a wait for a CPU. It does not look in
 * between: what wakes up while a program's second thread starts can leave both on one CPU for 90
 * ms.
 */
#ifndef SD_TESTS_WITNESS_H
#define SD_TESTS_WITNESS_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "support/others.h"

#define WITNESS_CPUS 8 /* asked, of all */
#define WITNESS_LOOPS 9
#define WITNESS_STEPS 40000 /* some 20 us */
/* Looks that differ by so much are of two states of a core (METHODS 2.3.10). */
#define WITNESS_STATES 1.15
/* Beside a hardware thread independent additions take 1.8 times as long (METHODS 2.3.10). */
#define WITNESS_CORES 1.4
/* Looks at every CPU before and after: neighbours come and go within tens of ms. */
#define WITNESS_ROUNDS 12
#define WITNESS_NAP_NS 40000000

struct witness {
	struct others since;
	double loop;          /* s of the reference loop, of the slowest CPU */
	unsigned looks, slow; /* at all CPUs; of these, where the loop took WITNESS_CORES as long */
	char why[96];
};

static inline double witness_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Four chains of additions: as fast as the core is wide, and slower beside a hardware thread. */
static inline double witness_once(void)
{
	const double from = witness_clock();
	uint64_t a = 1, b = 2, c = 3, d = 4;

	for (int i = 0; i < WITNESS_STEPS; i++) {
		a += (uint64_t)i;
		b += (uint64_t)i;
		c += (uint64_t)i;
		d += (uint64_t)i;
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	}
	return witness_clock() - from;
}

static inline int witness_order(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* s of the loop on a core of one's own: the fastest of all looks of this process so far. */
static inline double *witness_alone(void)
{
	static double alone;

	return &alone;
}

/* Looks at every CPU for half a second, and counts where others had a part of its core. */
static inline void witness_look(struct witness *w)
{
	cpu_set_t all, one;
	double *const alone = witness_alone(), v[WITNESS_ROUNDS * WITNESS_CPUS];
	int n = 0;

	if (sched_getaffinity(0, sizeof all, &all))
		return;
	for (int i = 0; i < WITNESS_ROUNDS; i++) {
		int asked = 0;

		for (int cpu = 0; cpu < CPU_SETSIZE && asked < WITNESS_CPUS; cpu++) {
			double loop;

			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			if (!CPU_ISSET(cpu, &all) || sched_setaffinity(0, sizeof one, &one))
				continue;
			asked++;
			/* a CPU that just woke up is slow, and so is one that was interrupted */
			loop = witness_once();
			for (int k = 0; k < 3; k++) {
				const double again = witness_once();

				loop = again < loop ? again : loop;
			}
			v[n++] = loop;
			*alone = *alone > 0 && *alone < loop ? *alone : loop;
		}
		nanosleep(&(struct timespec){.tv_nsec = WITNESS_NAP_NS}, NULL);
	}
	(void)sched_setaffinity(0, sizeof all, &all);
	for (int i = 0; i < n; i++)
		w->slow += v[i] > WITNESS_CORES * *alone;
	w->looks += (unsigned)n;
}

/* Share of the looks that met somebody on the core. */
static inline double witness_shared(const struct witness *w)
{
	return w->looks ? (double)w->slow / w->looks : 0;
}

/* The median of some loops of each CPU, and of the CPUs the slowest. */
static inline double witness_loop(void)
{
	double slowest = 0, v[WITNESS_LOOPS];
	cpu_set_t all, one;
	int asked = 0;

	if (sched_getaffinity(0, sizeof all, &all))
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && asked < WITNESS_CPUS; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!CPU_ISSET(cpu, &all) || sched_setaffinity(0, sizeof one, &one))
			continue;
		asked++;
		for (int i = 0; i < WITNESS_LOOPS; i++)
			v[i] = witness_once();
		qsort(v, WITNESS_LOOPS, sizeof *v, witness_order);
		if (v[WITNESS_LOOPS / 2] > slowest)
			slowest = v[WITNESS_LOOPS / 2];
	}
	(void)sched_setaffinity(0, sizeof all, &all);
	return slowest;
}

/* How much longer the loop takes on the first CPU while the second computes: CPUs that are threads
 * of one core get in each other's way whoever else is there. 1 without two CPUs. */
static inline double witness_beside(void)
{
	cpu_set_t all, two[2];
	double v[2][WITNESS_LOOPS];
	int n = 0;
	pid_t beside;

	CPU_ZERO(&all);
	(void)sched_getaffinity(0, sizeof all, &all);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++) {
		CPU_ZERO(&two[n]);
		CPU_SET(cpu, &two[n]);
		n += CPU_ISSET(cpu, &all) != 0;
	}
	if (n < 2 || sched_setaffinity(0, sizeof two[0], &two[0]))
		return 1;
	for (int i = 0; i < WITNESS_LOOPS; i++)
		v[0][i] = witness_once();
	beside = fork();
	if (beside == 0) {
		(void)sched_setaffinity(0, sizeof two[1], &two[1]);
		for (int i = 0; i < 100000; i++) /* 2 s, unless it is ended */
			witness_once();
		_exit(0);
	}
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	for (int i = 0; i < WITNESS_LOOPS; i++)
		v[1][i] = witness_once();
	if (beside > 0) {
		kill(beside, SIGKILL);
		waitpid(beside, NULL, 0);
	}
	(void)sched_setaffinity(0, sizeof all, &all);
	qsort(v[0], WITNESS_LOOPS, sizeof v[0][0], witness_order);
	qsort(v[1], WITNESS_LOOPS, sizeof v[1][0], witness_order);
	return v[1][WITNESS_LOOPS / 2] / v[0][WITNESS_LOOPS / 2];
}

static inline void witness_start(struct witness *w)
{
	w->looks = w->slow = 0;
	witness_look(w);
	w->loop = witness_loop();
	w->since = others_now();
}

/* How much longer the loop takes now than at the start, or took then than now: 1 or more. */
static inline double witness_change(const struct witness *w)
{
	const double now = witness_loop();

	if (now <= 0 || w->loop <= 0)
		return 1;
	return now > w->loop ? now / w->loop : w->loop / now;
}

/* Says what kept a relation from holding since the start, in words that live as long as w; NULL:
 * nothing that it saw. */
static inline const char *witness_disturbed(struct witness *w)
{
	const double others = others_share(&w->since), change = witness_change(w);
	const double beside = witness_beside();

	witness_look(w);

	if (others > OTHERS_MOST)
		snprintf(w->why, sizeof w->why, "others took %.0f %% of the CPUs", 100 * others);
	else if (change > WITNESS_STATES)
		snprintf(w->why, sizeof w->why, "a reference loop took %.2f times as long", change);
	else if (beside > WITNESS_CORES)
		snprintf(w->why, sizeof w->why,
			"CPUs that share a core: a loop takes %.2f times as long", beside);
	else if (witness_shared(w) > OTHERS_MOST)
		snprintf(w->why, sizeof w->why,
			"a loop took %.1f times as long and more in %.0f %% of the looks",
			WITNESS_CORES, 100 * witness_shared(w));
	else
		return NULL;
	return w->why;
}

#endif
