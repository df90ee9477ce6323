/*
 * The levels of the data TLB: how many pages each holds, and what a miss costs. A chase visits one
 * line a page, at offsets that rotate through the page so that the lines spread over the cache's
 * sets as packed ones would; the same number of lines packed densely shows what the caches alone
 * cost.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "arena.h"
#include "cpus.h"
#include "kernels.h"
#include "plateau.h"
#include "steps.h"
#include "tlb_walk.h"

#define FEW 16u /* lines that are in the first cache and a page or two, always */
#define FIRST 2.0
#define PAGES_LEAST 64u /* fewer show no level of a core of the last ten years */
#define POINTS_MAX 128u
/* No core has more; later steps are those of the walk, whose page tables leave the caches. */
#define LEVELS_MAX 2u
#define PLATEAUS_MAX 8u
#define SAMPLES 7u
#define SAMPLES_QUICK 5u
/*
 * Where a level ends: this share of the step to the next one is climbed. A first level of 6 ways
 * and 16 sets that is one page too small thrashes one set: up to 7 of 97 accesses miss, fewer where
 * the replacement is not the least recently used. Later levels end gradually: in the middle.
 */
#define FIRST_MISS_SHARE 0.02
#define MISS_SHARE 0.5
/*
 * Whoever shares the core for a while, a sibling thread or a neighbour of the virtual machine,
 * takes entries, and never gives any: of several searches the one that came furthest is right. A
 * count is measured again and again before it is said to miss.
 */
#define TRIES 16u
#define TRIES_LEAST 2u
#define SEARCHES 4u
#define SEARCHES_QUICK 2u

/* Reach of the largest second-level TLBs is 4096 pages; four times that shows the walk. */
static const struct {
	enum sd_pages pages;
	unsigned most, most_quick;
	unsigned memory_share; /* use at most memory_limit by this */
} sweeps[] = {
	{SD_PAGES_BASE, 16384, 8192, 2},
	{SD_PAGES_HUGE, 3072, 192, 4},
};

/* A level: within 30 % over half an octave. They are a factor of two and more apart, but where the
 * lines outgrow the first cache the difference to the packed ones is noisy. */
static const struct sd_plateau_rule rule = {.flat = 0.3, .span = 1.5};

struct tlb {
	struct sd_kernel_env env; /* the kernel's, without states: a core's TLB has none */
	struct sd_steps steps;
	struct sd_team team;
	struct sd_cpulist cpus;
	enum sd_pages pages;
	size_t page;
	struct sd_arena sparse, dense;
	unsigned lines; /* of this measurement */
	double ns[3];   /* an access: one line a page, packed, a few lines */
};

enum { SPARSE, DENSE, ALWAYS, EXTRA = ALWAYS, FIRST_CACHE, VALUE_COUNT };

static int chase(struct sd_member *m, void *arg)
{
	struct tlb *t = arg;

	(void)m;
	t->ns[SPARSE] = sd_tlb_walk(sd_tlb_build(t->sparse.base, t->lines, t->page, 1), t->lines);
	t->ns[DENSE] = sd_tlb_walk(sd_tlb_build(t->dense.base, t->lines, SD_TLB_LINE, 2), t->lines);
	t->ns[ALWAYS] = sd_tlb_walk(sd_tlb_build(t->dense.base, FEW, SD_TLB_LINE, 3), FEW);
	return 0;
}

/* The extra time in accesses to the first cache: that number does not move with the clock. */
static int measure(void *ctx, struct sd_sample *s)
{
	struct tlb *t = ctx;
	struct sd_team_job job = {chase, t};
	int rc = sd_team_run(&t->team, job, 0, t->env.stop);

	if (rc)
		return rc;
	if (sd_team_moved(&t->team))
		return -EAGAIN;
	s->value[SPARSE] = t->ns[SPARSE];
	s->value[DENSE] = t->ns[DENSE];
	s->value[EXTRA] = 1 + (t->ns[SPARSE] - t->ns[DENSE]) / t->ns[ALWAYS];
	s->value[FIRST_CACHE] = t->ns[ALWAYS];
	s->delay = sd_team_delay(&t->team);
	s->width = sd_team_width(&t->team);
	return 0;
}

static int usable(const struct sd_bench_row *r)
{
	return r->status == SD_STATUS_OK || r->status == SD_STATUS_NOISY;
}

/* The fastest samples of one count, ns an access: what disturbs only adds time. */
struct fastest {
	double sparse, dense, hit; /* infinite: none */
};

static const struct fastest none = {INFINITY, INFINITY, INFINITY};

/* In accesses to the first cache; NaN when nothing was measured. */
static double cost_of(const struct fastest *f)
{
	return isinf(f->hit) ? NAN : 1 + (f->sparse - f->dense) / f->hit;
}

/* Measures n pages and lowers *f to what was faster. */
static int point(struct tlb *t, unsigned n, struct sd_bench_rows *rows, struct fastest *f)
{
	const unsigned wanted = t->env.quick ? SAMPLES_QUICK : SAMPLES;
	const char *pages = sd_pages_name(t->pages);
	struct sd_bench_row like[VALUE_COUNT];
	const struct sd_bench_row *row;
	int rc;

	like[SPARSE] =
		sd_steps_row(&t->steps, &t->cpus, "ns", "pages=%s access=line-a-page", pages);
	like[DENSE] = sd_steps_row(&t->steps, &t->cpus, "ns", "pages=%s access=packed", pages);
	like[EXTRA] = sd_steps_row(
		&t->steps, &t->cpus, "ratio", "pages=%s access=extra/first-cache", pages);
	like[FIRST_CACHE] =
		sd_steps_row(&t->steps, &t->cpus, "ns", "pages=%s access=first-cache", pages);
	for (int i = 0; i < VALUE_COUNT; i++) {
		like[i].parameter = n;
		like[i].parameter_unit = "pages";
	}
	t->lines = n;
	rc = sd_steps_take(&t->steps, wanted, measure, t, like, VALUE_COUNT, rows);
	if (rc)
		return rc;
	row = &rows->row[rows->n - VALUE_COUNT];
	if (usable(row)) {
		f->sparse = fmin(f->sparse, row[SPARSE].low);
		f->dense = fmin(f->dense, row[DENSE].low);
		f->hit = fmin(f->hit, row[FIRST_CACHE].low);
	}
	rows->n--; /* first-cache: the same at every point, not worth a row */
	return 0;
}

struct curve {
	double pages[POINTS_MAX], cost[POINTS_MAX], hit[POINTS_MAX];
	size_t n;
};

/*
 * All samples of the tries together: the fastest of each kind only come closer to what an
 * undisturbed core takes, where the best of several tries would pick the one whose packed lines
 * were disturbed. -ENODATA: it could not be measured.
 */
static int fits(struct tlb *t, double pages, double limit, int *yes)
{
	struct sd_bench_rows scratch = {0};
	struct fastest f = none;
	int rc = 0;

	*yes = 0;
	for (unsigned i = 0; i < TRIES && !*yes && !rc; i++) {
		rc = point(t, (unsigned)pages, &scratch, &f);
		if (!rc && isnan(cost_of(&f)))
			rc = -ENODATA;
		*yes = !rc && i + 1 >= TRIES_LEAST && cost_of(&f) <= limit;
	}
	sd_bench_rows_free(&scratch);
	return rc;
}

/* Moves *reach up to the last count that fits, below `misses`. */
static int bisect(struct tlb *t, double *reach, double misses, double limit)
{
	int yes, rc = 0;

	while (!rc && misses - *reach > 1) {
		const double middle = floor((*reach + misses) / 2);

		rc = fits(t, middle, limit, &yes);
		if (yes)
			*reach = middle;
		else
			misses = middle;
	}
	return rc;
}

/*
 * The largest count whose cost is within the limit, exactly: searched for between the last point
 * that is, and the first of two that are well on their way up.
 */
static int refine(struct tlb *t, const struct curve *c, const struct sd_plateau *p, double limit,
	double middle, double *reach)
{
	const unsigned searches = t->env.quick ? SEARCHES_QUICK : SEARCHES;
	size_t high = p->last, low;
	int rc = 0;

	while (high + 1 < c->n && (c->cost[high] <= middle || c->cost[high + 1] <= middle))
		high++;
	for (low = high; low > p->first && (low == high || c->cost[low] > limit);)
		low--;
	*reach = c->pages[low];
	/* A count that seemed to miss only because of noise ended the search too early: again from
	 * there. */
	for (unsigned vain = 0; !rc && vain < searches;) {
		const double before = *reach;

		rc = bisect(t, reach, c->pages[high], limit);
		vain = *reach > before ? 0 : vain + 1;
	}
	return rc;
}

/* Points 2^(1/8) apart, or 2^(1/4), up to `most` itself. */
static int sweep(struct tlb *t, unsigned most, struct curve *c, struct sd_bench_rows *rows)
{
	const double factor = exp2(t->env.quick ? 0.25 : 0.125);
	unsigned before = 0;
	int rc = 0;

	for (double n = FIRST; !rc && before < most && c->n < POINTS_MAX; n *= factor) {
		const unsigned pages = n < most ? (unsigned)round(n) : most;
		struct fastest f = none;

		if (pages == before)
			continue;
		before = pages;
		if (sd_samples_late(&t->env))
			break;
		rc = point(t, pages, rows, &f);
		c->cost[c->n] = cost_of(&f);
		c->hit[c->n] = f.hit;
		c->pages[c->n] = pages;
		/* A count that could not be measured is not part of the curve. */
		if (!rc && c->cost[c->n] > 0)
			c->n++;
	}
	return rc;
}

static int add_level(struct tlb *t, unsigned number, const char *quantity, const char *unit,
	const struct sd_quartiles *q, size_t n, struct sd_bench_rows *rows)
{
	struct sd_bench_row row = sd_steps_row(&t->steps, &t->cpus, unit,
		"pages=%s level=%u quantity=%s", sd_pages_name(t->pages), number, quantity);

	row.n = n;
	row.low = q->min;
	row.q1 = q->q1;
	row.median = q->median;
	row.q3 = q->q3;
	row.high = q->max;
	row.status = SD_STATUS_OK;
	return sd_bench_rows_add(rows, &row);
}

/* A level's reach, and what a miss of it costs: the height of what lies above it, ns. */
static int describe(struct tlb *t, unsigned number, double reach, const struct sd_quartiles *top,
	size_t n, double level, double hit, struct sd_bench_rows *rows)
{
	const struct sd_quartiles pages = {reach, reach, reach, reach, reach};
	const struct sd_quartiles miss = {(top->min - level) * hit, (top->q1 - level) * hit,
		(top->median - level) * hit, (top->q3 - level) * hit, (top->max - level) * hit};
	int rc = add_level(t, number, "reach", "pages", &pages, 1, rows);

	return rc ? rc : add_level(t, number, "miss", "ns", &miss, n, rows);
}

/*
 * What lies above plateau i, in accesses to the first cache: the next one's points, or, where the
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
static int no_reach(struct tlb *t, const struct curve *c, unsigned number, int error,
	struct sd_bench_rows *rows)
{
	struct sd_bench_row row = sd_steps_row(&t->steps, &t->cpus, "pages",
		"pages=%s level=%u quantity=reach", sd_pages_name(t->pages), number);

	if (sd_samples_late(&t->env))
		return sd_bench_rows_missing(rows, &row, SD_STATUS_ABSENT, "%s", SD_LATE_WHY);
	if (error || c->n == 0)
		return sd_bench_rows_missing(
			rows, &row, SD_STATUS_ABSENT, "the curve could not be measured");
	return sd_bench_rows_missing(rows, &row, SD_STATUS_ABSENT,
		"no further step up to %.0f pages: the walk, or a level that holds them all",
		c->pages[c->n - 1]);
}

static int levels(struct tlb *t, const struct curve *c, struct sd_bench_rows *rows)
{
	const double hit = sd_quartiles(c->hit, c->n).median;
	struct sd_plateau p[PLATEAUS_MAX];
	size_t n = sd_plateaus(c->pages, c->cost, c->n, rule, p, PLATEAUS_MAX), i;
	int rc = 0;

	n = n < PLATEAUS_MAX ? n : PLATEAUS_MAX;
	for (i = 0; i < n && i < LEVELS_MAX && !rc; i++) {
		const double level = p[i].level, share = i ? MISS_SHARE : FIRST_MISS_SHARE;
		const double *cost = NULL;
		const size_t points = above(c, p, n, i, &cost);
		const struct sd_quartiles top = sd_quartiles(cost, points);
		double reach;

		if (points == 0 || !(top.median > level * (1 + rule.flat)))
			break;
		rc = refine(t, c, &p[i], level + share * (top.median - level),
			level + MISS_SHARE * (top.median - level), &reach);
		if (!rc)
			rc = describe(t, (unsigned)i + 1, reach, &top, points, level, hit, rows);
	}
	if (rc == -ENODATA)
		return no_reach(t, c, (unsigned)i, rc, rows);
	return rc || i == LEVELS_MAX ? rc : no_reach(t, c, (unsigned)i + 1, 0, rows);
}

/* The first touch, in random order: neighbouring pages then seldom lie side by side in memory, and
 * cores that merge such pages into one entry do not. */
static int touch(struct sd_member *m, void *arg)
{
	struct tlb *t = arg;

	(void)m;
	sd_tlb_build(t->sparse.base, t->lines, t->page, 4);
	sd_tlb_build(t->dense.base, t->lines, SD_TLB_LINE, 5);
	return 0;
}

static int prepare(struct tlb *t, unsigned most)
{
	struct sd_team_job job = {touch, t};
	int rc = sd_team_start(&t->team, SD_TEAM_THREADS, &t->cpus, 0);

	if (!rc)
		rc = sd_arena_map(&t->sparse, most * t->page, t->pages);
	if (!rc)
		rc = sd_arena_map(&t->dense, most * SD_TLB_LINE, t->pages);
	t->lines = most;
	if (!rc)
		rc = sd_team_run(&t->team, job, 0, t->env.stop);
	return rc ? rc : sd_arena_verify(&t->sparse, NULL, 0);
}

static int run_pages(struct tlb *t, unsigned most, struct sd_bench_rows *rows)
{
	struct sd_bench_row like = sd_steps_row(
		&t->steps, &t->cpus, "ns", "pages=%s access=line-a-page", sd_pages_name(t->pages));
	struct curve curve = {.n = 0};
	int rc = prepare(t, most);

	if (rc) {
		rc = sd_steps_failed(&t->steps, rc, &like, 1, rows);
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
static unsigned affordable(const struct tlb *t, size_t sweep_index)
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
	struct tlb t = {.env = *env};
	int rc = sd_cpus_place(env->topology, SD_CPUS_COMPACT, 1, &t.cpus);

	t.env.states = NULL;
	t.steps = (struct sd_steps){.env = &t.env,
		.kernel = sd_kernel_tlb.name,
		.total = sizeof(sweeps) / sizeof(*sweeps) * (env->quick ? 50 : 100)};
	for (size_t i = 0; i < sizeof(sweeps) / sizeof(*sweeps) && !rc; i++) {
		unsigned most;

		t.pages = sweeps[i].pages;
		t.page = sd_pages_bytes(t.pages);
		most = affordable(&t, i);
		if (most > 0) {
			rc = run_pages(&t, most, rows);
		} else {
			struct sd_bench_row like = sd_steps_row(&t.steps, &t.cpus, "ns",
				"pages=%s access=line-a-page", sd_pages_name(t.pages));

			rc = sd_bench_rows_missing(rows, &like,
				t.page ? SD_STATUS_ABSENT : SD_STATUS_UNSUPPORTED,
				t.page ? "too little memory for %u pages"
				       : "no such pages here (%u would be needed)",
				PAGES_LEAST);
		}
	}
	sd_cpulist_free(&t.cpus);
	return rc;
}

const struct sd_kernel sd_kernel_tlb = {
	.name = "tlb",
	.summary = "reach and miss cost of each level of the data TLB",
	.weight = 2,
	.run = run,
};
