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
#include "bench/profile_pick.h"
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

/* ---- what has just left the second level ---- */

/* Half of what L2 holds leaves it for this many times as much, and is in the next level then,
 * whatever others do to the rest of that. */
#define LEAVE_FOR 4

static int push_out(struct sd_member *m, void *arg)
{
	const struct walk *const w = arg;
	const size_t mine = w->chase.lines * LINE;
	const unsigned char *const other = w->arena.base + mine;

	(void)m;
	for (size_t i = 0; i < 2 * LEAVE_FOR * mine; i += LINE)
		(void)*(const volatile unsigned char *)(other + i);
	return 0;
}

static int sample_left(void *ctx, struct sd_sample *s)
{
	struct walk *const w = ctx;
	const int rc = run(w, push_out);

	return rc ? rc : sample(w, s);
}

/* The median of the rows from `first` on that are of a level, ns. */
static struct sd_value level_of(const struct sd_latency *l, size_t first, enum sd_level_name name)
{
	char begin[32];

	snprintf(begin, sizeof begin, "level=%s ", sd_level_name[name]);
	for (size_t i = l->rows->n; i > first; i--)
		if (strncmp(l->rows->row[i - 1].variant, begin, strlen(begin)) == 0 &&
			sd_bench_row_has(&l->rows->row[i - 1]))
			return SD_OK(l->rows->row[i - 1].median);
	return SD_NOT(ABSENT);
}

/*
 * The last level without an octave of the curve to itself, of which others may have taken all but a
 * little: a diagnosis holds misses against it.
 */
static int add_llc(struct sd_latency *l, struct walk *w, size_t first)
{
	const struct sd_value l2 = level_of(l, first, SD_LEVEL_L2),
			      memory = level_of(l, first, SD_LEVEL_DRAM),
			      bytes = l->env->topology->l2_bytes;
	const size_t lines = sd_has(bytes) ? (size_t)bytes.value / 2 / LINE / 16 * 16 : 0;
	const size_t from = l->rows->n;
	struct sd_bench_row row = sd_kernel_steps_row(&l->steps, &l->cpu, "ns", "level=%s pages=%s",
		sd_level_name[SD_LEVEL_LLC], sd_pages_name(w->arena.pages));
	int rc;

	if (!lines || (2 * LEAVE_FOR + 1) * lines * LINE > w->arena.bytes || !sd_has(l2) ||
		!sd_has(memory) || sd_has(level_of(l, first, SD_LEVEL_LLC)) ||
		sd_samples_late(l->env))
		return 0;
	w->chase = (struct sd_chase){w->arena.base, lines, LINE, KEY};
	w->steps = lines;
	row.parameter = (double)(lines * LINE);
	row.parameter_unit = "B";
	rc = run(w, build);
	if (rc)
		return sd_kernel_steps_failed(&l->steps, rc, &row, 1, l->rows);
	rc = sd_kernel_steps_take(&l->steps, 9, sample_left, w, &row, 1, l->rows);
	for (size_t i = from; i < l->rows->n; i++) {
		struct sd_bench_row *const r = &l->rows->row[i];

		if (sd_bench_row_has(r) && !sd_levels_is_llc(r->median, l2, memory)) {
			snprintf(r->why, sizeof r->why,
				"refused: what has just left L2 takes %.1f ns, which is no level's "
				"between L2 and memory",
				r->median);
			r->status = SD_STATUS_ABSENT;
			r->dropped += r->n;
			r->n = 0;
		}
	}
	return rc;
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
	rc = rc ? rc : sd_latency_add_levels(l, first, sd_pages_name(pages));
	if (rc == 0 && l->env->brief && w.arena.base)
		rc = add_llc(l, &w, first);
	sd_team_end(&w.team);
	sd_arena_free(&w.arena);
	return rc;
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

/* Within the memory, and the same whenever it is measured again. */
static void choose_sizes(struct sd_latency *l)
{
	const double earlier = largest_earlier(l->env->earlier);
	const double limit = (double)sd_llc_memory(l->env);
	double top = earlier > 0 ? earlier : sd_llc_curve(l->env, l->memory_from);

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
