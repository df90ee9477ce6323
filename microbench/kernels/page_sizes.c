/*
 * Kernel of huge pages: their gain here. In a virtual machine a guest's huge page may lie on many
 * small ones of the host, and then a TLB entry holds a small one: the guest cannot see that, but
 * measure it.
 */
#include <errno.h>

#include "harness/arena.h"
#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "harness/kernel_steps.h"
#include "kernels/tlb_walk.h"

#define SPAN ((size_t)16 << 20)
#define NEAR_STRIDE ((size_t)4096) /* 4096 small pages: more than a TLB holds; 8 huge ones */
#define FAR_STRIDE                                                                     \
	((size_t)65536) /* 256 small pages: more than a first level holds; 8 huge ones \
			 */
#define FEW 16u         /* lines that are in the first cache and a page, always */
#define SAMPLES 11u
#define SAMPLES_QUICK 5u

enum { BASE, HUGE, BENEFIT, EXTRA, VALUE_COUNT };

struct pages {
	const struct sd_kernel_env *env;
	struct sd_team team;
	struct sd_arena arena[SD_PAGES_COUNT];
	double ns[SD_PAGES_COUNT];
	double extra;
};

static double walk(const struct sd_arena *a, unsigned n, size_t stride)
{
	return sd_tlb_walk(sd_tlb_build(a->base, n, stride, n), n);
}

static int visit(struct sd_member *m, void *arg)
{
	struct pages *p = arg;
	const struct sd_arena *huge = &p->arena[SD_PAGES_HUGE];
	const unsigned near = SPAN / NEAR_STRIDE, far = SPAN / FAR_STRIDE;

	(void)m;
	for (int i = 0; i < SD_PAGES_COUNT; i++)
		p->ns[i] = walk(&p->arena[i], near, NEAR_STRIDE);
	p->extra = 1 + (walk(huge, far, FAR_STRIDE) - walk(huge, far, SD_TLB_LINE)) /
			       walk(huge, FEW, SD_TLB_LINE);
	return 0;
}

static int measure(void *ctx, struct sd_sample *s)
{
	struct pages *p = ctx;
	struct sd_team_job job = {visit, p};
	int rc = sd_team_run(&p->team, job, 0, p->env->stop);

	if (rc)
		return rc;
	if (sd_team_moved(&p->team))
		return -EAGAIN;
	s->value[BASE] = p->ns[SD_PAGES_BASE];
	s->value[HUGE] = p->ns[SD_PAGES_HUGE];
	s->value[BENEFIT] = p->ns[SD_PAGES_BASE] / p->ns[SD_PAGES_HUGE];
	s->value[EXTRA] = p->extra;
	s->delay = sd_team_delay(&p->team);
	s->width = sd_team_width(&p->team);
	return 0;
}

static int touch(struct sd_member *m, void *arg)
{
	struct pages *p = arg;

	(void)m;
	for (int i = 0; i < SD_PAGES_COUNT; i++)
		sd_arena_touch(p->arena[i].base, p->arena[i].bytes);
	return 0;
}

static int prepare(struct pages *p, const struct sd_cpulist *cpus)
{
	struct sd_team_job job = {touch, p};
	int rc = 0;

	if (p->env->memory_limit < SD_PAGES_COUNT * SPAN)
		return -ENOBUFS;
	for (int i = 0; i < SD_PAGES_COUNT && !rc; i++)
		rc = sd_arena_map(&p->arena[i], SPAN, (enum sd_pages)i);
	if (!rc)
		rc = sd_team_start(&p->team, SD_TEAM_THREADS, cpus, 0);
	if (!rc)
		rc = sd_team_run(&p->team, job, 0, p->env->stop);
	for (int i = 0; i < SD_PAGES_COUNT && !rc; i++)
		rc = sd_arena_verify(&p->arena[i], NULL, 0);
	return rc;
}

static int run(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_kernel_steps steps = {
		.env = env, .kernel = sd_kernel_page_sizes.name, .total = 1};
	struct pages p = {.env = env};
	const char *base = sd_pages_name(SD_PAGES_BASE), *huge = sd_pages_name(SD_PAGES_HUGE);
	struct sd_bench_row like[VALUE_COUNT];
	struct sd_cpulist cpus = {0};
	int rc = sd_core_sets_place(env->topology, SD_CORE_SETS_COMPACT, 1, &cpus);

	if (rc)
		return rc;
	like[BASE] = sd_kernel_steps_row(&steps, &cpus, "ns", "pages=%s access=line-a-4KiB", base);
	like[HUGE] = sd_kernel_steps_row(&steps, &cpus, "ns", "pages=%s access=line-a-4KiB", huge);
	like[BENEFIT] = sd_kernel_steps_row(
		&steps, &cpus, "ratio", "pages=%s/%s access=line-a-4KiB", base, huge);
	like[EXTRA] = sd_kernel_steps_row(&steps, &cpus, "ratio",
		"pages=%s access=line-a-64KiB quantity=extra/first-cache", huge);
	for (int i = 0; i < VALUE_COUNT; i++) {
		like[i].parameter = (double)SPAN;
		like[i].parameter_unit = "bytes";
	}
	rc = prepare(&p, &cpus);
	if (rc == -ENOBUFS)
		rc = sd_rows_missing(rows, &like[BENEFIT], SD_STATUS_ABSENT,
			"too little memory for twice %zu MiB", SPAN >> 20);
	else if (rc)
		rc = sd_kernel_steps_failed(&steps, rc, like, VALUE_COUNT, rows);
	else
		rc = sd_kernel_steps_take(&steps, env->quick ? SAMPLES_QUICK : SAMPLES, measure, &p,
			like, VALUE_COUNT, rows);
	for (int i = 0; i < SD_PAGES_COUNT; i++)
		sd_arena_free(&p.arena[i]);
	sd_team_end(&p.team);
	sd_cpulist_free(&cpus);
	return rc;
}

const struct sd_kernel sd_kernel_page_sizes = {
	.name = "pages",
	.summary = "what huge pages are worth, and whether a TLB entry holds one",
	.weight = 0.3,
	.run = run,
};
