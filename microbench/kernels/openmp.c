/*
 * Cost of OpenMP's constructs: a barrier, a parallel loop with nothing in it, a reduction, over
 * threads and for threads that wait actively or passively. Times of whole constructs, not
 * differences to a reference, which noise can turn negative.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "loops/openmp_runtime.h"
#include "harness/kernel_steps.h"
#include "base/clock.h"

#define ENOUGH_S 0.005 /* of constructs; a look at the clock is nothing of it */
#define ENOUGH_QUICK_S 0.001
#define FIRST_REPEATS 8u
#define REPEATS_MAX (1u << 20)
#define SAMPLES 9u
#define SAMPLES_QUICK 5u
#define COUNTS_MAX 64u
#define LIBRARY "libgomp.so.1"

enum value { BARRIER, PARALLEL_FOR, REDUCTION, SLEEPS, VALUE_COUNT };
static const char *const value_name[VALUE_COUNT] = {
	"construct=barrier quantity=time",
	"construct=parallel-for quantity=time",
	"construct=reduction quantity=time",
	"construct=barrier quantity=sleeps",
};

/* Lies in memory that the child and its parent see. */
struct openmp {
	_Alignas(128) atomic_long sum;               /* contested: alone */
	_Alignas(128) const struct sd_cpulist *cpus; /* made before the child */
	double value[VALUE_COUNT];
	_Atomic double elapsed;
	struct sd_openmp_runtime omp;
	enum sd_openmp_runtime_wait wait;
	double enough; /* s */
	atomic_uint repeats;
	atomic_int misplaced;
};

/* As many threads as asked for, each on its CPU? */
static int placed(struct openmp *o)
{
	const int me = o->omp.thread_num(), n = o->omp.num_threads();

	if (n == (int)o->cpus->n && (unsigned)sched_getcpu() == o->cpus->cpu[me])
		return 1;
	atomic_store(&o->misplaced, 1);
	return n == (int)o->cpus->n;
}

static void barriers(void *arg)
{
	struct openmp *o = arg;
	const unsigned n = o->repeats;
	double start;

	if (!placed(o))
		return;
	o->omp.barrier(); /* everyone is here and awake */
	start = sd_clock_s();
	for (unsigned i = 0; i < n; i++)
		o->omp.barrier();
	if (o->omp.thread_num() == 0)
		o->elapsed = sd_clock_s() - start;
}

/* #pragma omp parallel for schedule(static), as a compiler writes it: each thread finds
 * its part. */
static void empty_loop(void *arg)
{
	struct openmp *o = arg;
	const long n = (long)o->cpus->n, threads = o->omp.num_threads();
	const long me = o->omp.thread_num();

	for (long i = n * me / threads; i < n * (me + 1) / threads; i++)
		__asm__ volatile("" ::"r"(i));
}

/* The same with reduction(+ : sum): the partial sums are added atomically. */
static void reducing_loop(void *arg)
{
	struct openmp *o = arg;
	const long n = (long)o->cpus->n, threads = o->omp.num_threads();
	const long me = o->omp.thread_num();
	long part = 0;

	for (long i = n * me / threads; i < n * (me + 1) / threads; i++)
		part += i;
	atomic_fetch_add_explicit(&o->sum, part, memory_order_relaxed);
}

static void regions(struct openmp *o, void (*fn)(void *))
{
	const unsigned n = o->repeats;
	double start = sd_clock_s();

	for (unsigned i = 0; i < n; i++)
		o->omp.parallel(fn, o, (unsigned)o->cpus->n, 0);
	o->elapsed = sd_clock_s() - start;
}

/* Repeats the construct, twice as often each time, until that takes long enough; s a construct. */
static double repeat(struct openmp *o, enum value construct)
{
	for (o->repeats = FIRST_REPEATS;; o->repeats = 2 * o->repeats) {
		atomic_store(&o->sum, 0);
		if (construct == BARRIER)
			o->omp.parallel(barriers, o, (unsigned)o->cpus->n, 0);
		else
			regions(o, construct == REDUCTION ? reducing_loop : empty_loop);
		if (o->elapsed > o->enough || o->repeats >= REPEATS_MAX ||
			atomic_load(&o->misplaced))
			return o->elapsed / o->repeats;
	}
}

static long sleeps(void)
{
	struct rusage u;

	return getrusage(RUSAGE_SELF, &u) ? 0 : u.ru_nvcsw;
}

/* In a process of its own, which ends with it: threads that wait actively would never stop. */
static int child(struct sd_member *m, void *arg)
{
	struct openmp *o = arg;
	const long n = (long)o->cpus->n;
	long before;
	int rc = sd_openmp_runtime_load(&o->omp, LIBRARY, o->wait, o->cpus);

	(void)m;
	if (rc)
		return rc;
	o->omp.parallel(empty_loop, o, (unsigned)n, 0); /* makes the threads */
	before = sleeps();
	o->value[BARRIER] = repeat(o, BARRIER) * 1e9;
	/* Twice the last round's repeats, less the first round's, were done in all. */
	o->value[SLEEPS] = (double)(sleeps() - before) / (2.0 * o->repeats - FIRST_REPEATS) / n;
	o->value[PARALLEL_FOR] = repeat(o, PARALLEL_FOR) * 1e9;
	o->value[REDUCTION] = repeat(o, REDUCTION) * 1e9;
	if (atomic_load(&o->misplaced))
		return -EAGAIN;
	return atomic_load(&o->sum) == n * (n - 1) / 2 * o->repeats ? 0 : -EPROTO;
}

/* The construct under measurement: the parent's side. */
struct construct {
	const struct sd_kernel_env *env;
	const struct sd_cpulist *cpus;
	enum sd_openmp_runtime_wait wait;
};

static int measure(void *ctx, struct sd_sample *s)
{
	const struct construct *c = ctx;
	const struct sd_cpulist first = {.cpu = c->cpus->cpu, .n = 1};
	struct sd_team team;
	struct openmp *o;
	int rc = sd_team_start(&team, SD_TEAM_PROCESSES, &first, sizeof(*o));

	if (rc)
		return rc;
	o = team.shared;
	o->cpus = c->cpus;
	o->wait = c->wait;
	o->enough = c->env->quick ? ENOUGH_QUICK_S : ENOUGH_S;
	rc = sd_team_run(&team, (struct sd_team_job){child, o}, 0, c->env->stop);
	for (int i = 0; i < VALUE_COUNT && !rc; i++)
		s->value[i] = o->value[i];
	if (!rc)
		s->delay = sd_team_delay(&team);
	s->width = sd_team_width(&team);
	sd_team_end(&team);
	return rc;
}

static int at(struct sd_kernel_steps *steps, unsigned n, struct sd_bench_rows *rows)
{
	struct construct c = {.env = steps->env};
	struct sd_cpulist cpus = {0};
	int rc = sd_core_sets_place(c.env->topology, SD_CORE_SETS_COMPACT, n, &cpus);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	c.cpus = &cpus;
	for (c.wait = 0; c.wait < SD_OPENMP_RUNTIME_WAIT_COUNT && !rc; c.wait++) {
		struct sd_bench_row like[VALUE_COUNT];

		for (int i = 0; i < VALUE_COUNT; i++)
			like[i] = sd_kernel_steps_row(steps, &cpus, i == SLEEPS ? "ratio" : "ns",
				"runtime=libgomp wait=%s %s", sd_openmp_runtime_wait_name[c.wait],
				value_name[i]);
		rc = sd_kernel_steps_take(steps, c.env->quick ? SAMPLES_QUICK : SAMPLES, measure,
			&c, like, VALUE_COUNT, rows);
	}
	sd_cpulist_free(&cpus);
	return rc;
}

static int run(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_kernel_steps steps = {.env = env, .kernel = sd_kernel_openmp.name};
	unsigned count[COUNTS_MAX];
	size_t n = sd_core_sets_counts(env, 1, count, COUNTS_MAX);
	int rc = 0;

	steps.total = n * SD_OPENMP_RUNTIME_WAIT_COUNT;
	for (size_t i = 0; i < n && !rc; i++)
		rc = at(&steps, count[i], rows);
	return rc;
}

const struct sd_kernel sd_kernel_openmp = {
	.name = "openmp",
	.summary = "barrier, parallel loop and reduction of OpenMP, waiting actively and passively",
	.weight = 1,
	.run = run,
};
