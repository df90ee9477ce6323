/*
 * Line transfer between every pair of CPUs: how long a contested line takes there and back. It
 * takes several lines, because one address measures the way to the place that line calls home (its
 * cache slice or memory controller) as much as the distance of the two CPUs.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "harness/kernel_steps.h"
#include "base/clock.h"

#define LINES 16u
#define LINES_QUICK 4u
/* A page and two lines apart: other sets, other slices, and never one line pair. */
#define LINE_STRIDE (4096u + 256u)
#define WARM_UP 10u
#define ROUNDS 100u
#define SPINS_A_YIELD 16384u /* about 0.1 ms: only a descheduled partner takes that long */
#define SAMPLES 9u
#define SAMPLES_QUICK 5u
/* Seconds a pair takes: for the number of pairs that fit the budget. */
#define PAIR_S 0.02

enum op { OP_LOAD_STORE, OP_CAS, OP_COUNT };
static const char *const op_name[OP_COUNT] = {"load-store", "cas"};

struct transfer {
	struct sd_team team;
	const volatile sig_atomic_t *stop;
	unsigned lines;
	double round_trip[OP_COUNT][LINES]; /* s; written by member 0 */
};

/* Until the word is `want`, or a compare-and-swap from `want` succeeds. */
static inline void wait_for(_Atomic uint32_t *word, uint32_t want)
{
	for (unsigned i = 1; atomic_load_explicit(word, memory_order_acquire) != want; i++)
		if (i % SPINS_A_YIELD == 0)
			sched_yield();
}

static inline void hand_over(enum op op, _Atomic uint32_t *word, uint32_t from, uint32_t to)
{
	uint32_t seen = from;

	if (op == OP_LOAD_STORE) {
		wait_for(word, from);
		atomic_store_explicit(word, to, memory_order_release);
		return;
	}
	/* Every try takes the line exclusively, as a lock or a shared counter does. */
	for (unsigned i = 1; !atomic_compare_exchange_strong(word, &seen, to); i++) {
		seen = from;
		if (i % SPINS_A_YIELD == 0)
			sched_yield();
	}
}

/* Member 0 writes the even turns and member 1 answers. Returns s a round trip. */
static inline __attribute__((always_inline)) double bounce(
	enum op op, unsigned side, _Atomic uint32_t *word)
{
	uint32_t turn = side;
	double start = 0;

	for (unsigned i = 0; i <= WARM_UP + ROUNDS; i++, turn += 2) {
		hand_over(op, word, turn, turn + 1);
		if (i == WARM_UP)
			start = sd_clock_s();
	}
	if (side == 0)
		wait_for(word, turn);
	return (sd_clock_s() - start) / (ROUNDS + 1);
}

static _Atomic uint32_t *line(const struct transfer *t, unsigned i)
{
	return (_Atomic uint32_t *)((char *)t->team.shared + (size_t)i * LINE_STRIDE);
}

static int bounce_all(struct sd_member *m, void *arg)
{
	struct transfer *t = arg;

	for (int op = 0; op < OP_COUNT; op++) {
		for (unsigned i = 0; i < t->lines; i++) {
			double s;

			if (m->rank == 0)
				atomic_store(line(t, i), 0);
			sd_member_gate(m);
			s = op == OP_CAS ? bounce(OP_CAS, m->rank, line(t, i))
					 : bounce(OP_LOAD_STORE, m->rank, line(t, i));
			if (m->rank == 0)
				t->round_trip[op][i] = s;
			sd_member_gate(m);
		}
	}
	return 0;
}

/* Measures each operation: ns of the median line and of the nearest one. */
static int measure(void *ctx, struct sd_sample *s)
{
	struct transfer *t = ctx;
	struct sd_team_job job = {bounce_all, t};
	int rc = sd_team_run(&t->team, job, 0, t->stop);

	if (rc)
		return rc;
	if (sd_team_moved(&t->team))
		return -EAGAIN;
	for (int op = 0; op < OP_COUNT; op++) {
		struct sd_samples_quartiles q = sd_samples_quartiles(t->round_trip[op], t->lines);

		s->value[2 * op] = q.median * 1e9;
		s->value[2 * op + 1] = q.min * 1e9;
	}
	s->delay = sd_team_delay(&t->team);
	s->width = sd_team_width(&t->team);
	return 0;
}

static int pair(struct sd_kernel_steps *steps, unsigned a, unsigned b, struct sd_bench_rows *rows)
{
	unsigned cpu[2] = {a, b};
	const struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	struct transfer t = {
		.stop = steps->env->stop, .lines = steps->env->quick ? LINES_QUICK : LINES};
	struct sd_bench_row like[2 * OP_COUNT];
	int rc;

	for (int op = 0; op < OP_COUNT; op++) {
		like[2 * op] = sd_kernel_steps_row(
			steps, &cpus, "ns", "op=%s lines=%u line=median", op_name[op], t.lines);
		like[2 * op + 1] = sd_kernel_steps_row(
			steps, &cpus, "ns", "op=%s lines=%u line=nearest", op_name[op], t.lines);
	}
	rc = sd_team_start(&t.team, SD_TEAM_THREADS, &cpus, (size_t)LINES * LINE_STRIDE);
	if (rc)
		return sd_kernel_steps_failed(steps, rc, like, 2 * OP_COUNT, rows);
	rc = sd_kernel_steps_take(steps, steps->env->quick ? SAMPLES_QUICK : SAMPLES, measure, &t,
		like, 2 * OP_COUNT, rows);
	sd_team_end(&t.team);
	return rc;
}

static int by_number(const void *x, const void *y)
{
	unsigned a = *(const unsigned *)x, b = *(const unsigned *)y;

	return (a > b) - (a < b);
}

/* The other thread of a CPU's core, where there is one. */
static int add_sibling(const struct sd_topology *t, unsigned cpu, struct sd_cpulist *out)
{
	const struct sd_pu *mine = NULL;

	for (size_t i = 0; i < t->n_pu; i++)
		if (t->pu[i].os == cpu)
			mine = &t->pu[i];
	for (size_t i = 0; mine && i < t->n_pu; i++)
		if (t->pu[i].core == mine->core && t->pu[i].os != cpu)
			return sd_cpulist_has(out, t->pu[i].os) ? 0
								: sd_cpulist_add(out, t->pu[i].os);
	return 0;
}

/* n CPUs with every kind of distance among them: one half from all over the machine, one core's
 * siblings, and the rest close together. */
static int sample_cpus(const struct sd_topology *t, unsigned n, struct sd_cpulist *out)
{
	struct sd_cpulist near = {0};
	int rc = sd_core_sets_place(t, SD_CORE_SETS_SPREAD, (n + 1) / 2, out);

	if (!rc)
		rc = sd_core_sets_place(t, SD_CORE_SETS_COMPACT, (unsigned)t->n_pu, &near);
	if (!rc && out->n < n)
		rc = add_sibling(t, out->cpu[0], out);
	for (size_t i = 0; i < near.n && out->n < n && !rc; i++)
		if (!sd_cpulist_has(out, near.cpu[i]))
			rc = sd_cpulist_add(out, near.cpu[i]);
	sd_cpulist_free(&near);
	return rc;
}

/*
 * The CPUs of the matrix: all, or the first that were asked for, when all their pairs fit into the
 * budget; else a sample of them. The matrix of those that are chosen is whole.
 */
static int choose(const struct sd_kernel_env *env, struct sd_cpulist *cpus)
{
	const struct sd_topology *t = env->topology;
	unsigned asked = env->n_cores ? 0 : (unsigned)t->n_pu, n;
	int rc;

	for (size_t i = 0; i < env->n_cores; i++)
		asked = env->cores[i] > asked ? env->cores[i] : asked;
	asked = asked < t->n_pu ? asked : (unsigned)t->n_pu;
	n = asked;
	while (env->budget_s > 0 && n > 2 && PAIR_S * n * (n - 1) / 2 > env->budget_s)
		n--;
	rc = n == asked ? sd_core_sets_place(t, SD_CORE_SETS_COMPACT, n, cpus)
			: sample_cpus(t, n, cpus);
	if (!rc)
		qsort(cpus->cpu, cpus->n, sizeof(*cpus->cpu), by_number);
	return rc;
}

static int run(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_kernel_steps steps = {.env = env, .kernel = sd_kernel_line_transfer.name};
	struct sd_cpulist cpus = {0};
	int rc = choose(env, &cpus);

	if (rc)
		return rc;
	if (cpus.n < 2) {
		struct sd_bench_row like =
			sd_kernel_steps_row(&steps, &cpus, "ns", "op=load-store");

		rc = sd_rows_missing(
			rows, &like, SD_STATUS_UNSUPPORTED, "one CPU has nobody to pass a line to");
	}
	steps.total = cpus.n * (cpus.n - (cpus.n > 0)) / 2;
	for (size_t i = 0; i < cpus.n && !rc; i++)
		for (size_t j = i + 1; j < cpus.n && !rc; j++)
			rc = pair(&steps, cpus.cpu[i], cpus.cpu[j], rows);
	sd_cpulist_free(&cpus);
	return rc;
}

const struct sd_kernel sd_kernel_line_transfer = {
	.name = "transfer",
	.summary = "round trip of a contested cache line between every pair of CPUs",
	.weight = 1,
	.run = run,
};
