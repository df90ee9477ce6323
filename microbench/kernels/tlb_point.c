#include "kernels/tlb_point.h"

#include <errno.h>
#include <math.h>

#include "bench/profile_pick.h"
#include "kernels/tlb_walk.h"

#define FEW 16u /* lines that are in the first cache and a page or two, always */

enum { SPARSE, DENSE, ALWAYS, EXTRA = ALWAYS, FIRST_CACHE, VALUE_COUNT };

static int chase(struct sd_member *m, void *arg)
{
	struct sd_tlb_point *t = arg;

	(void)m;
	t->ns[SPARSE] = sd_tlb_walk(sd_tlb_build(t->sparse.base, t->lines, t->page, 1), t->lines);
	t->ns[DENSE] = sd_tlb_walk(sd_tlb_build(t->dense.base, t->lines, SD_TLB_LINE, 2), t->lines);
	t->ns[ALWAYS] = sd_tlb_walk(sd_tlb_build(t->dense.base, FEW, SD_TLB_LINE, 3), FEW);
	return 0;
}

/* The extra time in accesses to the first cache: that number does not move with the clock. */
static int measure(void *ctx, struct sd_sample *s)
{
	struct sd_tlb_point *t = ctx;
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

int sd_tlb_point_measure(struct sd_tlb_point *t, unsigned n, unsigned wanted,
	struct sd_bench_rows *rows, struct sd_fastest *f)
{
	static const char *const access[VALUE_COUNT] = {[SPARSE] = "line-a-page",
		[DENSE] = "packed",
		[EXTRA] = "extra/first-cache",
		[FIRST_CACHE] = "first-cache"};
	struct sd_bench_row like[VALUE_COUNT];
	const struct sd_bench_row *row;
	int rc;

	for (int i = 0; i < VALUE_COUNT; i++) {
		like[i] = sd_kernel_steps_row(&t->steps, &t->cpus, i == EXTRA ? "ratio" : "ns",
			"pages=%s access=%s", sd_pages_name(t->pages), access[i]);
		like[i].parameter = n;
		like[i].parameter_unit = "pages";
	}
	t->lines = n;
	rc = sd_kernel_steps_take(&t->steps, wanted, measure, t, like, VALUE_COUNT, rows);
	if (rc)
		return rc;
	row = &rows->row[rows->n - VALUE_COUNT];
	if (sd_bench_row_has(row)) {
		f->sparse = fmin(f->sparse, row[SPARSE].low);
		f->dense = fmin(f->dense, row[DENSE].low);
		f->hit = fmin(f->hit, row[FIRST_CACHE].low);
	}
	rows->n--; /* first-cache: the same at every point, not worth a row */
	return 0;
}

static int touch(struct sd_member *m, void *arg)
{
	struct sd_tlb_point *t = arg;

	(void)m;
	sd_tlb_build(t->sparse.base, t->lines, t->page, 4);
	sd_tlb_build(t->dense.base, t->lines, SD_TLB_LINE, 5);
	return 0;
}

int sd_tlb_point_prepare(struct sd_tlb_point *t, unsigned most)
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
