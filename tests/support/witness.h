/*
 * A witness of what a machine does to a measurement that does not ask the program under test: CPU
 * time that others took (others.h), and a reference loop timed before and after, which tells of a
 * core that is shared unseen, of a clock that changed, and of a wait for a CPU. In between, one
 * process a CPU times the loop ten times a second, in CPU time: neighbours that come and go within
 * a measurement are met there only. No look tells of a wait for a CPU in between: what wakes up
 * while a program's second thread starts can leave both on one CPU for 90 ms.
 */
#ifndef SD_TESTS_WITNESS_H
#define SD_TESTS_WITNESS_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
/* Between two looks while a measurement runs: four loops each are .1 % of a CPU. */
#define WITNESS_WATCH_NS 100000000

/* Looks at CPUs; of these, where the loop took WITNESS_CORES as long as alone. */
struct witness_looks {
	unsigned looks, slow;
};

struct witness {
	struct others since;
	double loop;                   /* s of the reference loop, of the slowest CPU */
	struct witness_looks still;    /* before and after */
	struct witness_looks *watched; /* while it ran, by CPU, shared with the watchers; or NULL */
	pid_t watcher[WITNESS_CPUS];
	char why[96];
};

static inline double witness_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Four chains of additions: as fast as the core is wide, and slower beside a hardware thread. */
static inline double witness_timed(clockid_t clock)
{
	const double from = witness_clock(clock);
	uint64_t a = 1, b = 2, c = 3, d = 4;

	for (int i = 0; i < WITNESS_STEPS; i++) {
		a += (uint64_t)i;
		b += (uint64_t)i;
		c += (uint64_t)i;
		d += (uint64_t)i;
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	}
	return witness_clock(clock) - from;
}

static inline double witness_once(void)
{
	return witness_timed(CLOCK_MONOTONIC);
}

/* The fastest of four: a CPU that just woke up is slow, and so is one that was interrupted. */
static inline double witness_best(clockid_t clock)
{
	double best = witness_timed(clock);

	for (int k = 0; k < 3; k++) {
		const double again = witness_timed(clock);

		best = again < best ? again : best;
	}
	return best;
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
			loop = witness_best(CLOCK_MONOTONIC);
			v[n++] = loop;
			*alone = *alone > 0 && *alone < loop ? *alone : loop;
		}
		nanosleep(&(struct timespec){.tv_nsec = WITNESS_NAP_NS}, NULL);
	}
	(void)sched_setaffinity(0, sizeof all, &all);
	for (int i = 0; i < n; i++)
		w->still.slow += v[i] > WITNESS_CORES * *alone;
	w->still.looks += (unsigned)n;
}

/* Share of the looks that met somebody on the core. */
static inline double witness_shared(const struct witness_looks *l)
{
	return l->looks ? (double)l->slow / l->looks : 0;
}

/* Starts a process a CPU that looks at it until witness_unwatch(), or the end of this one. After
 * witness_look(), which knows the loop alone. */
static inline void witness_watch(struct witness *w)
{
	const struct timespec nap = {.tv_nsec = WITNESS_WATCH_NS};
	cpu_set_t all, one;
	void *const shared = mmap(NULL, WITNESS_CPUS * sizeof *w->watched, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int asked = 0;

	w->watched = shared == MAP_FAILED ? NULL : shared;
	memset(w->watcher, 0, sizeof w->watcher);
	if (!w->watched || sched_getaffinity(0, sizeof all, &all))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE && asked < WITNESS_CPUS; cpu++) {
		struct witness_looks *const seen = &w->watched[asked];
		pid_t *const watcher = &w->watcher[asked];

		if (!CPU_ISSET(cpu, &all))
			continue;
		asked++;
		*watcher = fork();
		if (*watcher != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof one, &one))
			_exit(0);
		for (;;) {
			nanosleep(&nap, NULL);
			seen->slow += witness_best(CLOCK_THREAD_CPUTIME_ID) >
				      WITNESS_CORES * *witness_alone();
			seen->looks++;
		}
	}
}

/* Ends them, and says what they saw. */
static inline struct witness_looks witness_unwatch(struct witness *w)
{
	struct witness_looks sum = {0, 0};

	for (int i = 0; i < WITNESS_CPUS && w->watched; i++) {
		if (w->watcher[i] > 0) {
			kill(w->watcher[i], SIGKILL);
			waitpid(w->watcher[i], NULL, 0);
		}
		sum.looks += w->watched[i].looks;
		sum.slow += w->watched[i].slow;
	}
	if (w->watched)
		munmap(w->watched, WITNESS_CPUS * sizeof *w->watched);
	w->watched = NULL;
	return sum;
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
	w->still = (struct witness_looks){0, 0};
	w->watched = NULL;
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
 * nothing that it saw. Ends what watches. */
static inline const char *witness_disturbed(struct witness *w)
{
	const struct witness_looks during = witness_unwatch(w);
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
	else if (witness_shared(&w->still) > OTHERS_MOST)
		snprintf(w->why, sizeof w->why,
			"a loop took %.1f times as long and more in %.0f %% of the looks",
			WITNESS_CORES, 100 * witness_shared(&w->still));
	else if (witness_shared(&during) > OTHERS_MOST)
		snprintf(w->why, sizeof w->why,
			"meanwhile a loop took %.1f times as long and more in %.0f %% of the looks",
			WITNESS_CORES, 100 * witness_shared(&during));
	else
		return NULL;
	return w->why;
}

#endif
