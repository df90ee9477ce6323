/*
 * False sharing: every thread increments a counter of its own. The variants differ in one number,
 * the distance of the counters.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "harness/kernel_steps.h"
#include "base/clock.h"

#define SAMPLE_S 0.002
#define CHUNK 1000u /* increments between two looks at the clock: at most 3 % of its cost */
#define SAMPLES 15u
#define SAMPLES_QUICK 5u
#define COUNTS_MAX 64u

/*
 * Bytes from one counter to the next. Prefetchers fetch lines in pairs of 128 bytes, so neighbours
 * may disturb each other though they share nothing. Counters are a byte wide, so that 64 of them
 * fit into a line.
 */
enum layout { LINE, PAIR, PADDED, LAYOUT_COUNT };
static const struct {
	const char *name;
	size_t stride;
} layouts[LAYOUT_COUNT] = {
	[LINE] = {"one-line", 1},
	[PAIR] = {"neighbour-lines", 64},
	[PADDED] = {"padded", 256},
};

/*
 * A plain increment waits in the store buffer while its line is away, and one transfer serves many
 * of them; a locked one needs the line each time.
 */
enum op { INCREMENT, ATOMIC, OP_COUNT };
static const char *const op_name[OP_COUNT] = {"increment", "atomic-add"};

struct sharing {
	struct sd_team team;
	const volatile sig_atomic_t *stop;
	enum op op;
	size_t stride;
	size_t line_bytes;
};

/* The line's byte that two threads would have to share when it is full. */
static _Atomic uint8_t *counter(const struct sharing *s, unsigned rank)
{
	return (_Atomic uint8_t *)s->team.shared +
	       (s->stride == 1 ? rank % s->line_bytes : rank * s->stride);
}

static inline __attribute__((always_inline)) uint64_t increment(enum op op, _Atomic uint8_t *c)
{
	const double end = sd_clock_s() + SAMPLE_S;
	uint64_t n = 0;

	do {
		for (unsigned i = 0; i < CHUNK; i++) {
			uint8_t v;

			if (op == ATOMIC) {
				atomic_fetch_add_explicit(c, 1, memory_order_relaxed);
				continue;
			}
			/* a load, an add and a store, as `counter++` compiles to */
			v = atomic_load_explicit(c, memory_order_relaxed);
			atomic_store_explicit(c, (uint8_t)(v + 1), memory_order_relaxed);
		}
		n += CHUNK;
	} while (sd_clock_s() < end);
	return n;
}

static int work(struct sd_member *m, void *arg)
{
	const struct sharing *s = arg;
	_Atomic uint8_t *c = counter(s, m->rank);

	m->work = s->op == ATOMIC ? increment(ATOMIC, c) : increment(INCREMENT, c);
	return 0;
}

/* ns an increment, mean over the threads, of each layout one right after the other; and
 * the ratio. */
static int measure(void *ctx, struct sd_sample *sample)
{
	struct sharing *s = ctx;
	struct sd_team_job job = {work, s};

	for (int l = 0; l < LAYOUT_COUNT; l++) {
		double rate = 0, delay, width;
		int rc;

		s->stride = l == PAIR ? s->line_bytes : layouts[l].stride;
		rc = sd_team_run(&s->team, job, 0, s->stop);
		if (rc)
			return rc;
		if (sd_team_moved(&s->team))
			return -EAGAIN;
		for (unsigned i = 0; i < s->team.n; i++) {
			const struct sd_member *m = &s->team.member[i];

			rate += (double)m->work / (m->stop - m->start);
		}
		sample->value[l] = 1e9 * s->team.n / rate;
		delay = sd_team_delay(&s->team);
		sample->delay = delay > sample->delay ? delay : sample->delay;
		width = sd_team_width(&s->team);
		sample->width = l == 0 || width < sample->width ? width : sample->width;
	}
	sample->value[LAYOUT_COUNT] = sample->value[LINE] / sample->value[PADDED];
	return 0;
}

static int at(struct sd_kernel_steps *steps, unsigned n, struct sd_bench_rows *rows)
{
	const struct sd_kernel_env *env = steps->env;
	struct sharing s = {.stop = env->stop,
		.line_bytes = env->topology->line_bytes ? env->topology->line_bytes : 64};
	size_t shared = n * layouts[PADDED].stride + 2 * s.line_bytes;
	struct sd_cpulist cpus = {0};
	int failed, rc = sd_core_sets_place(env->topology, SD_CORE_SETS_COMPACT, n, &cpus);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	failed = sd_team_start(&s.team, SD_TEAM_THREADS, &cpus, shared);
	for (s.op = 0; s.op < OP_COUNT && !rc; s.op++) {
		struct sd_bench_row like[LAYOUT_COUNT + 1];

		for (int l = 0; l < LAYOUT_COUNT; l++)
			like[l] = sd_kernel_steps_row(steps, &cpus, "ns", "op=%s layout=%s",
				op_name[s.op], layouts[l].name);
		like[LAYOUT_COUNT] = sd_kernel_steps_row(
			steps, &cpus, "ratio", "op=%s layout=one-line/padded", op_name[s.op]);
		if (failed)
			rc = sd_kernel_steps_failed(steps, failed, like, LAYOUT_COUNT + 1, rows);
		else
			rc = sd_kernel_steps_take(steps, env->quick ? SAMPLES_QUICK : SAMPLES,
				measure, &s, like, LAYOUT_COUNT + 1, rows);
	}
	sd_team_end(&s.team);
	sd_cpulist_free(&cpus);
	return rc;
}

static int run(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_kernel_steps steps = {.env = env, .kernel = sd_kernel_false_sharing.name};
	unsigned count[COUNTS_MAX];
	size_t n = sd_core_sets_counts(env, 1, count, COUNTS_MAX);
	int rc = 0;

	steps.total = n * OP_COUNT;
	for (size_t i = 0; i < n && !rc; i++)
		rc = at(&steps, count[i], rows);
	return rc;
}

const struct sd_kernel sd_kernel_false_sharing = {
	.name = "sharing",
	.summary = "false sharing: counters on one line, on neighbouring lines, padded",
	.weight = 1,
	.run = run,
};
