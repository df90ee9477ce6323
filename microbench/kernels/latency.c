/*
 * Latency of dependent loads: a random pointer chase over sizes from L1 to past the LLC.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/arena.h"
#include "loops/chase.h"
#include "kernels/kernels.h"
#include "kernels/latency.h"
#include "curves/levels.h"
#include "curves/llc.h"
#include "harness/samples.h"
#include "harness/kernel_steps.h"
#include "harness/team.h"
#include "base/clock.h"

#define BYTES_MIN 4096.0
#define LINE 64u
/* Up to here the whole cycle is walked once before timing; building it has left the last of a
 * longer one in the caches. */
#define WARM_LINES ((size_t)1 << 21)
#define WARM_LINES_QUICK ((size_t)1 << 19)
#define TOUCH_BYTES ((size_t)16 << 20)
#define BUILD_LINES ((size_t)1 << 16) /* between two looks at the stop flag */
#define KEY 0x5ca1ed1a6u

/* One page size being measured; what the member works on. */
struct walk {
	struct sd_team team;
	struct sd_arena arena;
	struct sd_chase chase;
	void *at;
	size_t steps, warm;
	double foreseeable;
	struct sd_reuse reuse;
	const volatile sig_atomic_t *stop;
	char why[96];
};

static int touch(struct sd_member *m, void *arg)
{
	struct walk *w = arg;

	for (size_t i = 0; i < w->arena.bytes; i += TOUCH_BYTES) {
		const size_t left = w->arena.bytes - i;

		if (sd_member_stopped(m))
			return -EINTR;
		sd_arena_touch(w->arena.base + i, left < TOUCH_BYTES ? left : TOUCH_BYTES);
	}
	return sd_arena_verify(&w->arena, w->why, sizeof w->why);
}

static int build(struct sd_member *m, void *arg)
{
	struct walk *w = arg;

	for (size_t k = 0; k < w->chase.lines; k += BUILD_LINES) {
		const size_t left = w->chase.lines - k;

		if (sd_member_stopped(m))
			return -EINTR;
		sd_chase_build(&w->chase, k, left < BUILD_LINES ? left : BUILD_LINES);
	}
	w->at = sd_chase_begin(&w->chase);
	if (w->chase.lines <= w->warm)
		w->at = sd_chase_walk(w->at, w->chase.lines);
	return 0;
}

static int walk(struct sd_member *m, void *arg)
{
	struct walk *w = arg;

	(void)m;
	w->at = sd_chase_walk(w->at, w->steps);
	return 0;
}

static int inspect(struct sd_member *m, void *arg)
{
	struct walk *w = arg;

	(void)m;
	w->foreseeable =
		sd_chase_foreseeable(sd_chase_begin(&w->chase), w->chase.lines, w->chase.stride);
	w->reuse = sd_reuse_measure(w->chase.base, w->chase.lines * LINE, KEY);
	return 0;
}

static int run(struct walk *w, int (*job)(struct sd_member *m, void *arg))
{
	return sd_team_run(&w->team, (struct sd_team_job){job, w}, 0, w->stop);
}

static int sample(void *ctx, struct sd_sample *s)
{
	struct walk *w = ctx;
	const int rc = run(w, walk);

	if (rc)
		return rc;
	if (sd_team_moved(&w->team))
		return -EINVAL;
	s->value[0] = 1e9 * sd_team_elapsed(&w->team) / (double)w->steps;
	s->delay = sd_team_delay(&w->team);
	s->width = sd_team_width(&w->team);
	return 0;
}

/* Steps that take about `seconds`, a multiple of 16. */
static int pilot(struct walk *w, double seconds)
{
	int rc;

	w->steps = 4096;
	rc = run(w, walk);
	if (rc == 0) {
		const double one = sd_team_elapsed(&w->team) / (double)w->steps;

		w->steps = one > 0 ? (size_t)(seconds / one) / 16 * 16 + 16 : 4096;
	}
	return rc;
}

static int prepare(struct walk *w, size_t lines, double seconds)
{
	int rc;

	w->chase = (struct sd_chase){w->arena.base, lines, LINE, KEY + lines};
	rc = run(w, build);
	return rc ? rc : pilot(w, seconds);
}

/* Refuses what was measured when the check says so: the rows are turned into reasons. */
static int check(struct sd_latency *l, struct walk *w, size_t first, size_t size)
{
	int rc = run(w, inspect);

	if (rc == 0 && sd_has(w->reuse.ratio))
		l->ratio[size] = w->reuse.ratio.value;
	if (rc == 0 && sd_has(w->reuse.flushed) && l->n_flushed < SD_LATENCY_SIZES)
		l->flushed[l->n_flushed++] = 1e9 * w->reuse.flushed.value;
	for (size_t i = first; rc == 0 && i < l->rows->n; i++) {
		struct sd_bench_row *r = &l->rows->row[i];

		if ((r->status == SD_STATUS_OK || r->status == SD_STATUS_NOISY) &&
			sd_levels_believe(w->chase.lines, w->foreseeable, r->median, &w->reuse,
				r->why, sizeof r->why) != 0) {
			r->status = SD_STATUS_ABSENT;
			r->dropped += r->n; /* no number is of no samples */
			r->n = 0;
		}
	}
	return rc;
}

static int one_size(struct sd_latency *l, struct walk *w, size_t size)
{
	const double bytes = l->size[size];
	struct sd_bench_row row = sd_kernel_steps_row(
		&l->steps, &l->cpu, "ns", "pages=%s", sd_pages_name(w->arena.pages));
	const size_t first = l->rows->n;
	int rc;

	if (sd_samples_late(l->env))
		return 0; /* the sizes that were measured count */
	row.parameter = bytes;
	row.parameter_unit = "B";
	/* lines in multiples of 16: walks of whole cycles end where they began */
	rc = prepare(w, (size_t)bytes / LINE / 16 * 16, l->env->quick ? 0.0015 : 0.008);
	if (rc)
		return sd_kernel_steps_failed(&l->steps, rc, &row, 1, l->rows);
	rc = sd_kernel_steps_take(&l->steps, l->env->quick ? 5 : 9, sample, w, &row, 1, l->rows);
	return rc ? rc : check(l, w, first, size);
}

static int start(struct sd_latency *l, struct walk *w, enum sd_pages pages)
{
	int rc = sd_arena_map(&w->arena, (size_t)l->size[l->n_size - 1], pages);

	w->stop = l->env->stop;
	w->warm = l->env->quick ? WARM_LINES_QUICK : WARM_LINES;
	if (rc == 0)
		rc = sd_team_start(&w->team, SD_TEAM_THREADS, &l->cpu, 0);
	return rc ? rc : run(w, touch);
}

static int one_page_size(struct sd_latency *l, enum sd_pages pages)
{
	const struct sd_bench_row row =
		sd_kernel_steps_row(&l->steps, &l->cpu, "ns", "pages=%s", sd_pages_name(pages));
	const size_t first = l->rows->n;
	struct walk w = {.at = NULL};
	int rc;

	if (sd_samples_late(l->env))
		return sd_rows_missing(l->rows, &row, SD_STATUS_ABSENT, "%s", SD_LATE_WHY);
	for (size_t i = 0; i < SD_LATENCY_SIZES; i++)
		l->ratio[i] = NAN;
	rc = start(l, &w, pages);

	if (rc && w.why[0])
		rc = sd_rows_missing(l->rows, &row, SD_STATUS_UNSUPPORTED, "%s", w.why);
	else if (rc == -ENOMEM)
		rc = sd_rows_missing(l->rows, &row, SD_STATUS_UNSUPPORTED,
			"not enough memory for %.1f GB", 1e-9 * l->size[l->n_size - 1]);
	else if (rc)
		rc = sd_rows_error(l->rows, &row, rc);
	else
		/* quick: every other size of the second curve, and of both when they are measured
		 * again */
		for (size_t i = 0; rc == 0 && i < l->n_size;
			i += l->env->quick && (pages == SD_PAGES_BASE || l->env->earlier) ? 2 : 1)
			rc = one_size(l, &w, i);
	sd_team_end(&w.team);
	sd_arena_free(&w.arena);
	return rc ? rc : sd_latency_add_levels(l, first, sd_pages_name(pages));
}

/* The largest size that was measured earlier in this calibration; 0: none was. */
static double largest_earlier(const struct sd_bench_rows *earlier)
{
	double most = 0;

	for (size_t i = 0; earlier && i < earlier->n; i++)
		if (strcmp(earlier->row[i].kernel, "latency") == 0 &&
			strncmp(earlier->row[i].variant, "pages=", 6) == 0)
			most = fmax(most, earlier->row[i].parameter);
	return most;
}

/* Full: up to 4x the cache the machine shows. Quick: twice from where on nearly all comes from
 * memory. Both within the memory, and the same whenever it is measured again. */
static void choose_sizes(struct sd_latency *l)
{
	const double earlier = largest_earlier(l->env->earlier);
	const struct sd_topology *t = l->env->topology;
	const double limit = (double)sd_llc_memory(l->env);
	double top = 1ull << 30;

	if (sd_has(l->memory_from))
		top = (l->env->quick ? 2 : 4) * l->memory_from.value;
	if (sd_has(t->llc_bytes) && (!l->env->quick || !sd_has(l->memory_from)) &&
		4 * t->llc_bytes.value > top)
		top = 4 * t->llc_bytes.value;
	top = earlier > 0 ? earlier : top;
	top = top < limit ? top : limit;
	for (double b = BYTES_MIN; l->n_size < SD_LATENCY_SIZES && b <= top * 1.001; b *= sqrt(2))
		l->size[l->n_size++] = floor(b / (16 * LINE)) * (16 * LINE);
}

static int run_latency(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_latency l = {
		.env = env, .rows = rows, .steps = {.env = env, .kernel = "latency"}};
	int rc = sd_cpulist_add(&l.cpu, env->topology->pu[0].os);

	l.steps.begin = sd_clock_s();
	l.memory_from = sd_llc_effective(env);
	choose_sizes(&l);
	l.steps.total = (env->brief ? 1 : 2) * l.n_size;
	if (rc == 0 && l.n_size > 0 && !env->brief)
		rc = one_page_size(&l, SD_PAGES_HUGE);
	if (rc == 0 && l.n_size > 0)
		rc = one_page_size(&l, SD_PAGES_BASE);
	for (unsigned s = 0; rc == 0 && s < SD_STATES_MAX; s++)
		rc = sd_latency_add_benefit(&l, s);
	sd_cpulist_free(&l.cpu);
	return rc;
}

const struct sd_kernel sd_kernel_latency = {
	.name = "latency",
	.summary = "latency of L1, L2, LLC and DRAM by a random pointer chase, both page sizes",
	.weight = 5,
	.run = run_latency,
};
