/*
 * Does something else use the cores of the run's CPUs? One thread a CPU sleeps most of the time,
 * and looks at the CPU's width (core_width.h) at the same moments as the others.
 */
#include "base/clock.h"
#include "probes/probes.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/core_width.h"

#define PERIOD_NS 10000000u /* from moment to moment */
/* Every moment until there is a mean of a short run, then every second one, and at last only every
 * sixth, since each wakes the CPU's scheduler for some 50 us on a virtual machine. */
#define DENSE 8u
#define SPARSE 64u
#define TRIES 4u /* what was interrupted, or changed meanwhile, is looked at again at once */
#define WATCHED_MOST 16u /* of many CPUs, evenly chosen: the mean of so many says enough */
/* Fewer moments that all CPUs were looked at say nothing about a run. */
#define MOMENTS_LEAST 3u
#define MOMENTS_MOST 32768u /* of a run: its first minutes stand for longer ones */
#define WIDTHS (MOMENTS_MOST * sizeof(float))

struct watcher {
	_Alignas(128) pthread_t thread;
	struct width *of;
	unsigned cpu;
	int started;
	float *width; /* mapped, MOMENTS_MOST; 0: not looked at in this moment */
	uint64_t n;   /* moments until the last that it looked at */
	double most;
};

struct width {
	unsigned n;
	_Atomic uint32_t end;   /* a futex: whoever ends it wakes those who sleep */
	_Atomic uint64_t start; /* of the run, ns; 0: not yet */
	struct watcher watcher[WATCHED_MOST];
};

static void look(struct watcher *w, uint64_t moment)
{
	double width = 0;

	for (unsigned i = 0; i < TRIES && !(width > 0); i++)
		width = sd_core_width_look();
	if (moment >= MOMENTS_MOST || !(width > 0) || (unsigned)sched_getcpu() != w->cpu)
		return;
	w->width[moment] = (float)width;
	w->n = moment + 1;
	w->most = width > w->most ? width : w->most;
}

static uint64_t after(uint64_t moment)
{
	const unsigned step = moment < DENSE ? 1 : moment < SPARSE ? 2 : 6;

	return (moment / step + 1) * step;
}

/* Until `next`, or until the run has ended: the next run waits for these threads. A futex, since
 * those who wake at the same moment must not wait for each other. */
static void nap_until(struct width *p, uint64_t next)
{
	const struct timespec until = {
		.tv_sec = (time_t)(next / 1000000000u), .tv_nsec = (long)(next % 1000000000u)};

	(void)syscall(SYS_futex, &p->end, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

/* At the same moments on every CPU. */
static void *watch(void *arg)
{
	struct watcher *const w = arg;
	uint64_t next = sd_clock_ns();

	while (!atomic_load(&w->of->end)) {
		const uint64_t start = atomic_load(&w->of->start), now = sd_clock_ns();

		if (start) {
			const uint64_t moment = (now - start) / PERIOD_NS;

			look(w, moment);
			next = start + after(moment) * PERIOD_NS;
		} else {
			next += PERIOD_NS;
		}
		nap_until(w->of, next);
	}
	return NULL;
}

/* Pinned, and deaf to signals: those are for the thread that made it. */
static int begin(struct watcher *w)
{
	const size_t size = CPU_ALLOC_SIZE(w->cpu + 1);
	cpu_set_t *const set = CPU_ALLOC(w->cpu + 1);
	sigset_t all, before;
	pthread_attr_t attr;
	int rc;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(w->cpu, size, set);
	rc = pthread_attr_init(&attr);
	if (!rc) {
		rc = pthread_attr_setaffinity_np(&attr, size, set);
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		if (!rc)
			rc = pthread_create(&w->thread, &attr, watch, w);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		pthread_attr_destroy(&attr);
	}
	CPU_FREE(set);
	w->started = !rc;
	return -rc;
}

static void end(struct width *p)
{
	atomic_store(&p->end, 1);
	(void)syscall(SYS_futex, &p->end, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	for (unsigned i = 0; i < p->n; i++)
		if (p->watcher[i].started)
			pthread_join(p->watcher[i].thread, NULL);
	for (unsigned i = 0; i < p->n; i++)
		p->watcher[i].started = 0;
}

static void drop(struct width *p)
{
	end(p);
	for (unsigned i = 0; i < p->n; i++)
		if (p->watcher[i].width)
			munmap(p->watcher[i].width, WIDTHS);
	free(p);
}

/* Maps memory for the widths, which the kernel clears where it is used: most runs are short. */
static float *map_widths(void)
{
	void *const map =
		mmap(NULL, WIDTHS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

static int width_open(void **state, const struct sd_probe_target *target)
{
	const size_t cpus = target->cpus->n;
	struct width *const p = aligned_alloc(_Alignof(struct width), sizeof *p);
	int rc = 0;

	*state = NULL;
	if (!p)
		return -ENOMEM;
	*p = (struct width){.n = cpus < WATCHED_MOST ? (unsigned)cpus : WATCHED_MOST};
	for (unsigned i = 0; i < p->n && !rc; i++) {
		struct watcher *const w = &p->watcher[i];

		w->of = p;
		w->cpu = target->cpus->cpu[i * cpus / p->n];
		w->width = map_widths();
		rc = w->width ? begin(w) : -ENOMEM;
	}
	if (rc) {
		drop(p);
		return rc;
	}
	*state = p;
	return 0;
}

static void width_start(void *state)
{
	struct width *const p = state;

	if (p)
		atomic_store(&p->start, sd_clock_ns());
}

/* Computes mean and least over the moments at which all CPUs were seen; returns how many. */
static size_t over_moments(const struct width *p, double *mean, double *least)
{
	uint64_t last = p->n ? MOMENTS_MOST : 0;
	size_t n = 0;

	*mean = *least = 0;
	for (unsigned i = 0; i < p->n; i++)
		last = p->watcher[i].n < last ? p->watcher[i].n : last;
	for (uint64_t k = 0; k < last; k++) {
		double sum = 0, low = INFINITY;

		for (unsigned i = 0; i < p->n; i++) {
			sum += p->watcher[i].width[k];
			low = fmin(low, p->watcher[i].width[k]);
		}
		if (!(low > 0))
			continue;
		*mean += sum / p->n;
		*least += low;
		n++;
	}
	if (n) {
		*mean /= (double)n;
		*least /= (double)n;
	}
	return n;
}

static void width_stop(void *state, struct sd_run *run)
{
	struct width *const p = state;
	double mean, least, most = 0;
	int known;

	if (!p)
		return;
	end(p);
	known = over_moments(p, &mean, &least) >= MOMENTS_LEAST;
	for (unsigned i = 0; i < p->n; i++)
		most += p->watcher[i].most / p->n;
	run->metric[SD_METRIC_WIDTH] = known ? SD_OK(mean) : SD_NOT(ABSENT);
	run->metric[SD_METRIC_WIDTH_LEAST] = known ? SD_OK(least) : SD_NOT(ABSENT);
	run->metric[SD_METRIC_WIDTH_MOST] = known ? SD_OK(most) : SD_NOT(ABSENT);
}

static void width_close(void *state)
{
	if (state)
		drop(state);
}

static void width_fail(int error, struct sd_run *run)
{
	const struct sd_value v =
		error == -EPERM || error == -EINVAL ? SD_NOT(DENIED) : SD_NOT(ABSENT);

	run->metric[SD_METRIC_WIDTH] = run->metric[SD_METRIC_WIDTH_LEAST] =
		run->metric[SD_METRIC_WIDTH_MOST] = v;
}

const struct sd_probe sd_probe_core_sharing = {
	.name = "width",
	.open = width_open,
	.start = width_start,
	.stop = width_stop,
	.close = width_close,
	.fail = width_fail,
};
