/*
 * Kernel of locks: acquisitions a second over threads and over the time inside and outside the
 * critical section, how evenly the threads get their turn, and the cost when nobody else wants it.
 * Throughput alone rewards locks that starve the others.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "kernels/lock_kinds.h"
#include "harness/kernel_steps.h"
#include "base/clock.h"

#define SAMPLE_S 0.008 /* who gets the lock goes in runs of some 100 us: an average of many */
#define SAMPLE_QUICK_S 0.003
#define SAMPLES 11u
#define SAMPLES_QUICK 5u
#define COUNTS_MAX 64u
#define CALIBRATE_SPINS 200000u

/*
 * ns of work inside and outside. With N threads a lock is saturated when inside > outside / (N -
 * 1); the table goes from a bare lock over a saturated one to one that is mostly free.
 */
static const struct {
	unsigned inside, outside;
	int quick;
} loads[] = {
	{0, 0, 1},
	{100, 0, 0},
	{100, 100, 0},
	{100, 400, 1},
	{100, 1600, 0},
	{1000, 1000, 0},
};
#define LOADS (sizeof(loads) / sizeof(*loads))

enum value { THROUGHPUT, FAIRNESS, COST = FAIRNESS, VALUE_COUNT };

struct locks {
	struct sd_team team;
	const struct sd_kernel_env *env;
	struct sd_lock_kind *lock;       /* in the team's memory */
	struct sd_lock_kind_node *nodes; /* one a member, behind it */
	const struct sd_lock_kind_kind *kind;
	struct sd_lock_kind_load load;
	double spins_a_ns;
};

static int hammer(struct sd_member *m, void *arg)
{
	struct locks *t = arg;
	const double end = sd_clock_s() + (t->env->quick ? SAMPLE_QUICK_S : SAMPLE_S);

	m->work = t->kind->hammer(t->lock, &t->nodes[m->rank], t->load, end);
	return 0;
}

static int counts_are_exact(const struct locks *t)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < t->team.n; i++)
		sum += t->team.member[i].work;
	return sd_lock_kind_exact(t->kind, t->lock, t->load, sum);
}

static int measure(void *ctx, struct sd_sample *s)
{
	struct locks *t = ctx;
	struct sd_team_job job = {hammer, t};
	double rate, sum = 0, low = 0, high = 0;
	int rc;

	memset(t->lock, 0, sizeof(*t->lock));
	rc = t->kind->init(t->lock);
	if (rc)
		return rc;
	rc = sd_team_run(&t->team, job, 0, t->env->stop);
	/* After an interruption a stuck member may still hold it. */
	if (rc)
		return rc;
	t->kind->destroy(t->lock);
	if (!counts_are_exact(t))
		return -EPROTO;
	if (sd_team_moved(&t->team))
		return -EAGAIN;
	for (unsigned i = 0; i < t->team.n; i++) {
		const struct sd_member *m = &t->team.member[i];

		rate = (double)m->work / (m->stop - m->start);
		sum += rate;
		low = i == 0 || rate < low ? rate : low;
		high = rate > high ? rate : high;
	}
	s->value[THROUGHPUT] = sum;
	s->value[FAIRNESS] = t->team.n > 1 ? low / high : 1e9 / sum;
	s->delay = sd_team_delay(&t->team);
	s->width = sd_team_width(&t->team);
	return 0;
}

static int calibrate(struct sd_member *m, void *arg)
{
	double start = sd_clock_s();

	(void)arg;
	sd_lock_kind_spin(CALIBRATE_SPINS);
	m->value = CALIBRATE_SPINS / (1e9 * (sd_clock_s() - start));
	return 0;
}

/* Keeps the fastest of three tries, in spins per ns: interruptions only make it slower. */
static int find_spins_a_ns(struct locks *t)
{
	struct sd_team_job job = {calibrate, NULL};

	for (int i = 0; i < 3; i++) {
		int rc = sd_team_run(&t->team, job, 1, t->env->stop);

		if (rc)
			return rc;
		if (t->team.member[0].value > t->spins_a_ns)
			t->spins_a_ns = t->team.member[0].value;
	}
	return 0;
}

/* One atomic instruction has no inside. */
static int wanted(
	const struct sd_kernel_env *env, const struct sd_lock_kind_kind *kind, size_t load)
{
	if (env->quick && !loads[load].quick)
		return 0;
	return kind->acquire || load == 0;
}

/* The second value is how even the turns were, or, alone and with nothing else to do, the cost. */
static int kind_at(struct sd_kernel_steps *steps, struct locks *t, const struct sd_cpulist *cpus,
	size_t load, int failed, struct sd_bench_rows *rows)
{
	struct sd_bench_row like[VALUE_COUNT];
	unsigned inside = loads[load].inside, outside = loads[load].outside;
	size_t n = cpus->n > 1 || load == 0 ? VALUE_COUNT : 1;
	char what[64];

	snprintf(what, sizeof(what), "lock=%s inside=%uns outside=%uns", t->kind->name, inside,
		outside);
	like[THROUGHPUT] = sd_kernel_steps_row(steps, cpus, "1/s", "%s quantity=throughput", what);
	like[FAIRNESS] = sd_kernel_steps_row(steps, cpus, cpus->n > 1 ? "ratio" : "ns",
		"%s quantity=%s", what, cpus->n > 1 ? "min/max" : "cost");
	t->load = (struct sd_lock_kind_load){
		(uint64_t)(inside * t->spins_a_ns), (uint64_t)(outside * t->spins_a_ns)};
	if (failed)
		return sd_kernel_steps_failed(steps, failed, like, n, rows);
	return sd_kernel_steps_take(
		steps, t->env->quick ? SAMPLES_QUICK : SAMPLES, measure, t, like, n, rows);
}

static int at(struct sd_kernel_steps *steps, unsigned n, struct sd_bench_rows *rows)
{
	struct locks t = {.env = steps->env};
	struct sd_cpulist cpus = {0};
	int failed, rc = sd_core_sets_place(t.env->topology, SD_CORE_SETS_COMPACT, n, &cpus);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	failed = sd_team_start(
		&t.team, SD_TEAM_THREADS, &cpus, sizeof(*t.lock) + n * sizeof(*t.nodes));
	if (!failed) {
		t.lock = t.team.shared;
		t.nodes = (struct sd_lock_kind_node *)(t.lock + 1);
		failed = find_spins_a_ns(&t);
	}
	for (unsigned k = 0; k < sd_lock_kind_kinds_n && !rc; k++)
		for (size_t load = 0; load < LOADS && !rc; load++) {
			t.kind = &sd_lock_kinds[k];
			if (wanted(t.env, t.kind, load))
				rc = kind_at(steps, &t, &cpus, load, failed, rows);
		}
	sd_team_end(&t.team);
	sd_cpulist_free(&cpus);
	return rc;
}

static int run(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_kernel_steps steps = {.env = env, .kernel = sd_kernel_locks.name};
	unsigned count[COUNTS_MAX];
	size_t n = sd_core_sets_counts(env, 1, count, COUNTS_MAX);
	int rc = 0;

	for (unsigned k = 0; k < sd_lock_kind_kinds_n; k++)
		for (size_t load = 0; load < LOADS; load++)
			steps.total += n * (size_t)wanted(env, &sd_lock_kinds[k], load);
	for (size_t i = 0; i < n && !rc; i++)
		rc = at(&steps, count[i], rows);
	return rc;
}

const struct sd_kernel sd_kernel_locks = {
	.name = "locks",
	.summary = "throughput, fairness and cost of locks over threads and section lengths",
	.weight = 2,
	.run = run,
};
