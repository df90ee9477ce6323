/*
 * Invented records for tests of what must hold in any: programs that lose cores in several ways at
 * once, on machines that others use, with few runs and with many. The seed is the record.
 */
#ifndef SD_TESTS_INVENT_RECORD_H
#define SD_TESTS_INVENT_RECORD_H

#include <stdlib.h>

#include "support/analyse_record.h"
#include "support/make_record.h"

/* How a record is told, where that must not matter. */
struct telling {
	double times;   /* all times are so many times as long */
	int relabelled; /* other threads' and CPUs' numbers, in another order */
	size_t copies;  /* every run so many times */
	size_t runs;    /* a point; 0: as the seed says */
	int quiet;      /* no run is left out since others used the machine */
	int denied;     /* sources that were not there say that they were denied */
};
__attribute__((unused)) static const struct telling plainly = {.times = 1, .copies = 1};

struct generator {
	struct sd_random random;
	unsigned n;
	size_t runs;
	double noise;
	int shared; /* others use the cores' siblings */
	struct sample one, many;
	double foreign; /* s of a run at n cores */
};

static inline double between(struct generator *g, double low, double high)
{
	return low + (high - low) * (double)(sd_random_next(&g->random) >> 11) * 0x1p-53;
}

static inline int chance(struct generator *g, unsigned in)
{
	return sd_random_below(&g->random, in) == 0;
}

static inline void invent(struct generator *g, uint64_t seed)
{
	static const enum sd_idle idle[] = {SD_IDLE_LOCK, SD_IDLE_DISK, SD_IDLE_IMBALANCE,
		SD_IDLE_SERIAL, SD_IDLE_SLEEP, SD_IDLE_RUNNABLE, SD_IDLE_UNKNOWN};
	double work, sum;

	*g = (struct generator){.n = 0};
	sd_random_seed(&g->random, seed, 35);
	g->n = 2u << sd_random_below(&g->random, 4);
	g->runs = 1 + sd_random_below(&g->random, chance(g, 2) ? 4 : 12);
	g->noise = chance(g, 2) ? .003 : .02;
	g->shared = chance(g, 4);
	work = between(g, 1, 10);
	g->one = (struct sample){.user = work, .system = chance(g, 3) ? .05 * work : 0};
	g->one.wall = g->one.user + g->one.system;
	g->many = g->one;
	g->many.user *= chance(g, 2) ? 1 : between(g, 1, 2);
	g->many.system *= chance(g, 2) ? 1 : between(g, 1, 8);
	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		if (chance(g, 4))
			g->many.idle[idle[i]] = between(g, 0, work);
	g->many.run_delay = g->many.idle[SD_IDLE_RUNNABLE];
	g->many.steal = chance(g, 4) ? between(g, 0, .3) * work : 0;
	sum = g->many.user + g->many.system + g->many.steal;
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		sum += g->many.idle[i];
	g->many.wall = sum / g->n;
	g->foreign = chance(g, 3) ? between(g, 0, .2) * sum : 0;
}

/* The run's waits differ from run to run by themselves. */
static inline struct sample vary(struct generator *g, const struct sample *s, unsigned n)
{
	struct sample out = *s;
	double more = 0;

	for (int i = 0; i < SD_IDLE_COUNT; i++) {
		out.idle[i] *= 1 + g->noise * between(g, -1, 1);
		more += out.idle[i] - s->idle[i];
	}
	out.run_delay = out.idle[SD_IDLE_RUNNABLE];
	out.wall += more / n;
	return out;
}

static inline void add_threads(
	struct generator *g, struct sd_run *run, const struct telling *t, unsigned n, double cpu)
{
	double share[16], sum = 0, *const seconds = calloc(n + 1, sizeof *seconds);

	assert_non_null(seconds);
	for (unsigned i = 0; i < n; i++)
		sum += share[i] = between(g, .5, 1);
	for (unsigned i = 0; i < n; i++) {
		const unsigned k = t->relabelled ? n - 1 - i : i;

		make_thread(run, (t->relabelled ? 900 : 100) + (int)k, cpu * share[k] / sum);
	}
	seconds[1] = .2 * run->metric[SD_METRIC_WALL].value;
	seconds[n] += .8 * run->metric[SD_METRIC_WALL].value;
	make_concurrency(run, seconds, n + 1);
	free(seconds);
}

static inline void add_run(
	struct generator *g, struct sd_record *r, size_t point, const struct telling *t)
{
	const unsigned n = point ? g->n : 1;
	const struct sample s = vary(g, point ? &g->many : &g->one, n);
	const double factor = t->times * (1 + g->noise * between(g, -1, 1));
	const double narrow = g->shared && point ? between(g, .7, 1) : 1;
	const struct sd_random from = g->random;

	for (size_t k = 0; k < t->copies; k++) {
		struct sd_run *const run = record_sample(r, point, &s, factor);
		struct sd_value *const m = run->metric;

		g->random = from; /* a copy is the same in all */
		m[SD_METRIC_FOREIGN] = SD_OK(point ? g->foreign * factor : 0);
		m[SD_METRIC_POLL_CPU] = SD_OK(0);
		m[SD_METRIC_POLL_PERIOD] = SD_OK(.005 * t->times);
		if (g->shared) {
			m[SD_METRIC_WIDTH] = SD_OK(3 * narrow);
			m[SD_METRIC_WIDTH_LEAST] = SD_OK(2.9 * narrow);
			m[SD_METRIC_WIDTH_MOST] = SD_OK(3);
		}
		for (int i = 0; t->denied && i < SD_METRIC_COUNT; i++)
			if (m[i].status == SD_STATUS_ABSENT)
				m[i].status = SD_STATUS_DENIED;
		add_threads(g, run, t, n, (s.user + s.system) * factor);
	}
}

static inline void tell(struct sd_record *r, uint64_t seed, const struct telling *t)
{
	struct generator g;
	unsigned cores[2] = {1};

	invent(&g, seed);
	if (t->quiet)
		g.foreign = g.many.steal = g.shared = 0;
	cores[1] = g.n;
	record_make(r, cores, 2);
	r->host.numa = 1;
	for (size_t p = 0; p < 2; p++)
		for (unsigned c = 0; c < cores[p]; c++)
			sd_cpulist_add(&r->plan.point[p].cpus, t->relabelled ? 40 - c : c);
	for (size_t i = 0; i < (t->runs ? t->runs : g.runs); i++)
		for (size_t p = 0; p < 2; p++)
			add_run(&g, r, p, t);
}

#endif
