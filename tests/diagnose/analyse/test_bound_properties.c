/*
 * What must hold of the bounds in any record, over generated ones: programs that lose cores in
 * several ways at once, on machines that others use, with few runs and with many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_record.h"

#define RECORDS 420 /* for each property; five of them make over 2,000 */
#define ROUNDING 1e-6

/* How a record is told, where that must not matter. */
struct telling {
	double times;   /* all times are so many times as long */
	int relabelled; /* other threads' and CPUs' numbers, in another order */
	size_t copies;  /* every run so many times */
	size_t runs;    /* a point; 0: as the seed says */
	int quiet;      /* no run is left out since others used the machine */
	int denied;     /* sources that were not there say that they were denied */
};
static const struct telling plainly = {.times = 1, .copies = 1};

struct generator {
	struct sd_random random;
	unsigned n;
	size_t runs;
	double noise;
	int shared; /* others use the cores' siblings */
	struct sample one, many;
	double foreign; /* s of a run at n cores */
};

static double between(struct generator *g, double low, double high)
{
	return low + (high - low) * (double)(sd_random_next(&g->random) >> 11) * 0x1p-53;
}

static int chance(struct generator *g, unsigned in)
{
	return sd_random_below(&g->random, in) == 0;
}

static void invent(struct generator *g, uint64_t seed)
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
static struct sample vary(struct generator *g, const struct sample *s, unsigned n)
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

static void add_threads(
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

static void add_run(struct generator *g, struct sd_record *r, size_t point, const struct telling *t)
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

static void tell(struct sd_record *r, uint64_t seed, const struct telling *t)
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

static void look(uint64_t seed, const struct telling *t, struct sd_analysis *a)
{
	struct sd_record r;

	tell(&r, seed, t);
	assert_int_equal(sd_analyse(&r, NULL, NULL, a), 0);
	sd_record_free(&r);
}

static void hold(int true_of_it, uint64_t seed, const struct sd_finding *f, const char *what)
{
	if (!true_of_it)
		fail_msg("seed %llu, %s (%s, %.4g [%.4g %.4g]): %s", (unsigned long long)seed,
			f ? sd_cause_info[f->cause].name : "all",
			f ? sd_verdict_name[f->verdict] : "-", f ? f->cores.value : 0,
			f ? f->cores.low : 0, f ? f->cores.high : 0, what);
}

static int is_near(double a, double b, double scale)
{
	return fabs(a - b) <= ROUNDING * scale;
}

/* The same findings, in the same order. */
static void expect_same(uint64_t seed, const struct telling *t)
{
	struct sd_analysis a, b;

	look(seed, &plainly, &a);
	look(seed, t, &b);
	hold(a.scales == b.scales, seed, NULL, "another answer");
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &a.finding[i], *const o = &b.finding[i];
		const double n = a.point[a.n_point - 1].n;

		hold(f->cause == o->cause && f->verdict == o->verdict, seed, f, "another verdict");
		hold(f->cores.status == o->cores.status, seed, f, "another status");
		if (f->cores.status == SD_STATUS_OK)
			hold(is_near(f->cores.value, o->cores.value, n) &&
					is_near(f->cores.low, o->cores.low, n) &&
					is_near(f->cores.high, o->cores.high, n),
				seed, f, "other bounds");
	}
	sd_analysis_free(&a);
	sd_analysis_free(&b);
}

static void bounds_are_bounds_and_their_lowers_fit_into_the_loss(void **state)
{
	size_t sure = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++) {
		struct sd_analysis a;
		const struct sd_point *p;
		double sum = 0, lost = 0;

		look(seed, &plainly, &a);
		p = &a.point[a.n_point - 1];
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const struct sd_finding *const f = &a.finding[i];
			const struct sd_interval c = f->cores;

			if (c.status != SD_STATUS_OK || f->verdict > SD_VERDICT_POSSIBLE)
				continue;
			hold(isfinite(c.value) && c.low >= 0 && c.low <= c.value &&
					c.value <= c.high && c.high <= p->n,
				seed, f, "no bounds");
			hold(f->worth.low >= 1 && f->worth.low <= f->worth.high, seed, f,
				"no gain");
			hold((f->verdict < SD_VERDICT_POSSIBLE) == (c.low >= .05 * p->n), seed, f,
				"the word is not the lower bound's");
			sum += c.low;
			sure += c.low > 0;
		}
		for (int k = 1; k < SD_COMPONENT_COUNT; k++)
			if (p->stack[k].status == SD_STATUS_OK && isfinite(p->stack[k].high))
				lost += fmax(0, p->stack[k].high);
			else if (p->stack[k].status == SD_STATUS_OK)
				lost = INFINITY;
		/* intervals of few runs are widened by up to as much again on either side */
		hold(sum <= lost * (1 + ROUNDING) + ROUNDING, seed, NULL, "more is sure than lost");
		sd_analysis_free(&a);
	}
	assert_true(sure > RECORDS / 4);
}

static void the_unit_of_time_does_not_matter(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++)
		expect_same(
			seed + 10000, &(struct telling){.times = seed % 2 ? 8 : .25, .copies = 1});
}

static void the_names_of_threads_and_cpus_do_not_matter(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++)
		expect_same(seed + 20000,
			&(struct telling){.times = 1, .copies = 1, .relabelled = 1, .denied = 1});
}

static void one_run_a_point_decides_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++) {
		struct sd_analysis a;

		look(seed + 30000, &(struct telling){.times = 1, .copies = 1, .runs = 1}, &a);
		hold(a.scales == SD_SCALES_UNKNOWN, seed, NULL, "one run says whether it scales");
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const struct sd_finding *const f = &a.finding[i];

			hold(f->verdict >= SD_VERDICT_POSSIBLE, seed, f, "one run is sure");
			hold(f->verdict != SD_VERDICT_RULED_OUT || f->cause == SD_CAUSE_NUMA, seed,
				f, "one run rules out what is no fact of the machine");
		}
		sd_analysis_free(&a);
	}
}

/* Of the same runs, three times: nothing that was sure is doubted. */
static void more_of_the_same_runs_loosen_nothing(void **state)
{
	size_t decided = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++) {
		struct sd_analysis a, b;

		look(seed + 40000, &(struct telling){.times = 1, .copies = 1, .quiet = 1}, &a);
		look(seed + 40000, &(struct telling){.times = 1, .copies = 3, .quiet = 1}, &b);
		if (a.scales != SD_SCALES_UNKNOWN) {
			hold(a.scales == b.scales, seed, NULL, "copies of runs are worth less");
			decided++;
		}
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const struct sd_finding *const f = &a.finding[i];
			const struct sd_finding *const o = finding_of(&b, f->cause);

			if (f->verdict <= SD_VERDICT_LIKELY)
				hold(o->verdict <= SD_VERDICT_LIKELY, seed, f, "no longer sure");
		}
		sd_analysis_free(&a);
		sd_analysis_free(&b);
	}
	assert_true(decided > RECORDS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_bounds_and_their_lowers_fit_into_the_loss),
		cmocka_unit_test(the_unit_of_time_does_not_matter),
		cmocka_unit_test(the_names_of_threads_and_cpus_do_not_matter),
		cmocka_unit_test(one_run_a_point_decides_nothing),
		cmocka_unit_test(more_of_the_same_runs_loosen_nothing),
	};

	return cmocka_run_group_tests_name("analyse/bound_properties", tests, NULL, NULL);
}
