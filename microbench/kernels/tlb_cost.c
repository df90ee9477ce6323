/*
 * The levels of the data TLB: how many pages each holds, and what a miss costs. A chase visits one
 * line a page, at offsets that rotate through the page so that the lines spread over the cache's
 * sets as packed ones would; the same number of lines packed densely shows what the caches alone
 * cost.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "harness/arena.h"
#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "curves/plateau.h"
#include "curves/reach.h"
#include "harness/kernel_steps.h"
#include "kernels/tlb_point.h"
#include "base/clock.h"

#define FIRST 2.0
#define PAGES_LEAST 64u /* fewer show no level of a core of the last ten years */
#define POINTS_MAX 128u
/* No core has more; later steps are those of the walk, whose page tables leave the caches. */
#define LEVELS_MAX 2u
#define PLATEAUS_MAX 8u
#define SAMPLES 7u
#define SAMPLES_QUICK 5u
#define SAMPLES_AGAIN 3u
/*
 * Search range of a level's last count: behind the last point that climbed no more than this share
 * of the step to the next level, and before those that climbed this share.
 */
#define LEVEL_SHARE 0.02
#define CLIMB_SHARE 0.5

/* Reach of the largest second-level TLBs is 4096 pages; four times that shows the walk. */
static const struct {
	enum sd_pages pages;
	unsigned most, most_quick;
	unsigned memory_share; /* use at most memory_limit by this */
} sweeps[] = {
	{SD_PAGES_BASE, 16384, 8192, 2},
	{SD_PAGES_HUGE, 3072, 192, 4},
};

#define SWEEPS (sizeof(sweeps) / sizeof(*sweeps))
/* Points of a sweep and its searches, about. */
#define POINTS 200u
#define POINTS_QUICK 100u

/* A level: within 30 % over half an octave. They are a factor of two and more apart, but where the
 * lines outgrow the first cache the difference to the packed ones is noisy. */
static const struct sd_plateau_rule rule = {.flat = 0.3, .span = 1.5};

struct curve {
	double pages[POINTS_MAX], cost[POINTS_MAX], hit[POINTS_MAX];
	size_t n;
};

/* A search repeats what it needs: few samples, and no more of them where they spread. */
static int again(void *ctx, unsigned pages, struct sd_fastest *f)
{
	struct sd_tlb_point *t = ctx;
	const double budget = t->env.budget_s;
	struct sd_bench_rows scratch = {0};
	int rc;

	t->env.budget_s = 0;
	rc = sd_tlb_point_measure(t, pages, SAMPLES_AGAIN, &scratch, f);
	t->env.budget_s = budget;
	sd_bench_rows_free(&scratch);
	return rc;
}

static int late(void *ctx)
{
	const struct sd_tlb_point *t = ctx;

	return sd_samples_late(&t->env);
}

/*
 * Searched for between the last point whose cost is level and the first of two that are well on
 * their way up.
 */
static int refine(struct sd_tlb_point *t, const struct curve *c, const struct sd_plateau *p,
	double step, double *reach, int *settled)
{
	const double level = p->level + LEVEL_SHARE * step, climb = p->level + CLIMB_SHARE * step;
	const struct sd_reach_search search = {
		.measure = again, .late = late, .ctx = t, .climb = climb};
	size_t high = p->last, low;

	while (high + 1 < c->n && (c->cost[high] <= climb || c->cost[high + 1] <= climb))
		high++;
	for (low = high; low > p->first && (low == high || c->cost[low] > level);)
		low--;
	return sd_reach(&search, c->pages[low], c->pages[high], reach, settled);
}

/* Points 2^(1/8) apart, or 2^(1/4), up to `most` itself. */
static int sweep(struct sd_tlb_point *t, unsigned most, struct curve *c, struct sd_bench_rows *rows)
{
	const double factor = exp2(t->env.quick ? 0.25 : 0.125);
	unsigned before = 0;
	int rc = 0;

	for (double n = FIRST; !rc && before < most && c->n < POINTS_MAX; n *= factor) {
		const unsigned pages = n < most ? (unsigned)round(n) : most;
		struct sd_fastest f = sd_fastest_none;

		if (pages == before)
			continue;
		before = pages;
		if (sd_samples_late(&t->env))
			break;
		rc = sd_tlb_point_measure(
			t, pages, t->env.quick ? SAMPLES_QUICK : SAMPLES, rows, &f);
		c->cost[c->n] = sd_fastest_cost(&f);
		c->hit[c->n] = f.hit;
		c->pages[c->n] = pages;
		/* A count that could not be measured is not part of the curve. */
		if (!rc && c->cost[c->n] > 0)
			c->n++;
	}
	return rc;
}

static int add_level(struct sd_tlb_point *t, unsigned number, const char *quantity,
	const char *unit, const struct sd_samples_quartiles *q, size_t n, enum sd_status status,
	struct sd_bench_rows *rows)
{
	struct sd_bench_row row = sd_kernel_steps_row(&t->steps, &t->cpus, unit,
		"pages=%s level=%u quantity=%s", sd_pages_name(t->pages), number, quantity);

	row.n = n;
	row.low = q->min;
	row.q1 = q->q1;
	row.median = q->median;
	row.q3 = q->q3;
	row.high = q->max;
	row.status = status;
	return sd_bench_rows_add(rows, &row);
}

/* A level's reach, and what a miss of it costs: the height of what lies above it, ns. */
static int describe(struct sd_tlb_point *t, unsigned number, double reach, int settled,
	const struct sd_samples_quartiles *top, size_t n, double level, double hit,
	struct sd_bench_rows *rows)
{
	const struct sd_samples_quartiles pages = {reach, reach, reach, reach, reach};
	const struct sd_samples_quartiles miss = {(top->min - level) * hit, (top->q1 - level) * hit,
		(top->median - level) * hit, (top->q3 - level) * hit, (top->max - level) * hit};
	int rc = add_level(t, number, "reach", "pages", &pages, 1,
		settled ? SD_STATUS_OK : SD_STATUS_NOISY, rows);

	return rc ? rc : add_level(t, number, "miss", "ns", &miss, n, SD_STATUS_OK, rows);
}

/*
 * Points above plateau i, in accesses to the first cache: the next one's points, or, where the
 * curve never settles, its last half. 0 when that is shorter than a level: it may be noise.
 */
static size_t above(
	const struct curve *c, const struct sd_plateau *p, size_t n, size_t i, const double **cost)
{
	const size_t next = p[i].last + 1;

	if (i + 1 < n) {
		*cost = &c->cost[p[i + 1].first];
		return p[i + 1].last - p[i + 1].first + 1;
	}
	if (next >= c->n || c->pages[c->n - 1] < rule.span * c->pages[p[i].last])
		return 0;
	*cost = &c->cost[(next + c->n) / 2];
	return c->n - (next + c->n) / 2;
}

/* Why there is no reach of this level. The curve's end says nothing of what lies beyond it. */
static int no_reach(struct sd_tlb_point *t, const struct curve *c, unsigned number, int error,
	struct sd_bench_rows *rows)
{
	struct sd_bench_row row = sd_kernel_steps_row(&t->steps, &t->cpus, "pages",
		"pages=%s level=%u quantity=reach", sd_pages_name(t->pages), number);

	if (sd_samples_late(&t->env))
		return sd_rows_missing(rows, &row, SD_STATUS_ABSENT, "%s", SD_LATE_WHY);
	if (error || c->n == 0)
		return sd_rows_missing(
			rows, &row, SD_STATUS_ABSENT, "the curve could not be measured");
	return sd_rows_missing(rows, &row, SD_STATUS_ABSENT,
		"no further step up to %.0f pages: the walk, or a level that holds them all",
		c->pages[c->n - 1]);
}

static int levels(struct sd_tlb_point *t, const struct curve *c, struct sd_bench_rows *rows)
{
	const double hit = sd_samples_quartiles(c->hit, c->n).median;
	struct sd_plateau p[PLATEAUS_MAX];
	size_t n = sd_plateau_all(c->pages, c->cost, c->n, rule, p, PLATEAUS_MAX), i;
	int rc = 0;

	n = n < PLATEAUS_MAX ? n : PLATEAUS_MAX;
	for (i = 0; i < n && i < LEVELS_MAX && !rc; i++) {
		const double level = p[i].level;
		const double *cost = NULL;
		const size_t points = above(c, p, n, i, &cost);
		const struct sd_samples_quartiles top = sd_samples_quartiles(cost, points);
		double reach;
		int settled;

		if (points == 0 || !(top.median > level * (1 + rule.flat)))
			break;
		rc = 0;
		reach = c->pages[p[i].last];
		settled = 0;
		/* who asks for the cost of a miss alone does not wait for the search */
		if (!t->env.brief)
			rc = refine(t, c, &p[i], top.median - level, &reach, &settled);
		if (!rc)
			rc = describe(
				t, (unsigned)i + 1, reach, settled, &top, points, level, hit, rows);
	}
	if (rc == -ENODATA)
		return no_reach(t, c, (unsigned)i, rc, rows);
	return rc || i == LEVELS_MAX ? rc : no_reach(t, c, (unsigned)i + 1, 0, rows);
}

static int run_pages(struct sd_tlb_point *t, unsigned most, struct sd_bench_rows *rows)
{
	struct sd_bench_row like = sd_kernel_steps_row(
		&t->steps, &t->cpus, "ns", "pages=%s access=line-a-page", sd_pages_name(t->pages));
	struct curve curve = {.n = 0};
	int rc = sd_tlb_point_prepare(t, most);

	if (rc) {
		rc = sd_kernel_steps_failed(&t->steps, rc, &like, 1, rows);
	} else {
		rc = sweep(t, most, &curve, rows);
		if (!rc)
			rc = levels(t, &curve, rows);
	}
	sd_arena_free(&t->sparse);
	sd_arena_free(&t->dense);
	sd_team_end(&t->team);
	return rc;
}

/* How many pages of this kind the memory allows; 0 when they are too few to show a level. */
static unsigned affordable(const struct sd_tlb_point *t, size_t sweep_index)
{
	const unsigned long long limit = t->env.memory_limit / sweeps[sweep_index].memory_share;
	const unsigned most =
		t->env.quick ? sweeps[sweep_index].most_quick : sweeps[sweep_index].most;

	if (t->page == 0 || limit / t->page < PAGES_LEAST)
		return 0;
	return limit / t->page < most ? (unsigned)(limit / t->page) : most;
}

static int run(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	const double begin = sd_clock_s();
	const size_t n = env->brief ? 1 : SWEEPS;
	struct sd_tlb_point t = {.env = *env};
	int rc = sd_core_sets_place(env->topology, SD_CORE_SETS_COMPACT, 1, &t.cpus);

	t.env.states = NULL;
	t.steps = (struct sd_kernel_steps){.env = &t.env,
		.kernel = sd_kernel_tlb_cost.name,
		.total = n * (env->quick ? POINTS_QUICK : POINTS)};
	for (size_t i = 0; i < n && !rc; i++) {
		const size_t left = n - i;
		unsigned most;

		/* to each its part of the time, whatever the searches before it took */
		if (env->budget_s > 0)
			t.env.budget_s =
				fmax(1e-3, (begin + env->budget_s - sd_clock_s()) / (double)left);
		t.steps.begin = 0;
		t.pages = sweeps[i].pages;
		t.page = sd_pages_bytes(t.pages);
		most = affordable(&t, i);
		if (most > 0) {
			rc = run_pages(&t, most, rows);
		} else {
			struct sd_bench_row like = sd_kernel_steps_row(&t.steps, &t.cpus, "ns",
				"pages=%s access=line-a-page", sd_pages_name(t.pages));

			rc = sd_rows_missing(rows, &like,
				t.page ? SD_STATUS_ABSENT : SD_STATUS_UNSUPPORTED,
				t.page ? "too little memory for %u pages"
				       : "no such pages here (%u would be needed)",
				PAGES_LEAST);
		}
	}
	sd_cpulist_free(&t.cpus);
	return rc;
}

const struct sd_kernel sd_kernel_tlb_cost = {
	.name = "tlb",
	.summary = "reach and miss cost of each level of the data TLB",
	.weight = 2,
	.run = run,
};
