#include "kernels/bandwidth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "bench/bandwidth_ceilings.h"
#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "curves/llc.h"
#include "base/clock.h"

#define DOMAINS_MAX 16u /* LLC domains or NUMA nodes measured alone */

struct cells {
	struct sd_bandwidth_cell *cell; /* owned */
	size_t n;
};

static void cells_free(struct cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		sd_cpulist_free(&c->cell[i].cpus);
	free(c->cell);
}

/* Takes the CPUs of `like`; frees them on failure. */
static int cells_add(struct cells *c, struct sd_bandwidth_cell *like)
{
	if (SD_APPEND(c->cell, c->n, like)) {
		sd_cpulist_free(&like->cpus);
		return -ENOMEM;
	}
	return 0;
}

static int add_placed(struct cells *c, const struct sd_topology *t, struct sd_bandwidth_cell like,
	enum sd_core_sets_place place, unsigned n)
{
	const int rc = sd_core_sets_place(t, place, n, &like.cpus);

	snprintf(like.place, sizeof like.place, "%s",
		place == SD_CORE_SETS_COMPACT ? "compact" : "spread");
	return rc ? rc : cells_add(c, &like);
}

/* Would spreading n cores give other CPUs than compact does? */
static int spreads(const struct sd_topology *t, unsigned n)
{
	struct sd_cpulist compact = {0}, spread = {0};
	int other = 0;

	if (sd_core_sets_place(t, SD_CORE_SETS_COMPACT, n, &compact) == 0 &&
		sd_core_sets_place(t, SD_CORE_SETS_SPREAD, n, &spread) == 0)
		for (size_t i = 0; i < spread.n; i++)
			other |= !sd_cpulist_has(&compact, spread.cpu[i]);
	sd_cpulist_free(&compact);
	sd_cpulist_free(&spread);
	return other;
}

/* All cores of one LLC domain or NUMA node, one PU a core. */
static int add_domain(struct cells *c, const struct sd_topology *t, int numa, unsigned domain)
{
	struct sd_bandwidth_cell cell = {.kind = SD_TEAM_THREADS, .pages = SD_PAGES_HUGE};
	struct sd_cpulist order;
	int rc = sd_core_sets_place(t, SD_CORE_SETS_COMPACT, t->n_core, &order);

	for (size_t i = 0; rc == 0 && i < order.n; i++)
		for (size_t j = 0; rc == 0 && j < t->n_pu; j++)
			if (t->pu[j].os == order.cpu[i] &&
				(numa ? t->pu[j].numa : t->pu[j].llc) == domain)
				rc = sd_cpulist_add(&cell.cpus, order.cpu[i]);
	sd_cpulist_free(&order);
	snprintf(cell.place, sizeof cell.place, "%s%u", numa ? "numa" : "llc", domain);
	if (rc || cell.cpus.n == 0) {
		sd_cpulist_free(&cell.cpus);
		return rc;
	}
	return cells_add(c, &cell);
}

/* The variants of one core count. Quick: threads on huge pages, compact. */
static int add_count(struct cells *c, const struct sd_kernel_env *env, unsigned n, int ends)
{
	const struct sd_bandwidth_cell main = {
		SD_TEAM_THREADS, SD_PAGES_HUGE, "", {NULL, 0}, !env->quick && ends};
	const struct sd_bandwidth_cell base = {SD_TEAM_THREADS, SD_PAGES_BASE, "", {NULL, 0}, 0};
	const struct sd_bandwidth_cell processes = {
		SD_TEAM_PROCESSES, SD_PAGES_HUGE, "", {NULL, 0}, 0};
	int rc = add_placed(c, env->topology, main, SD_CORE_SETS_COMPACT, n);

	/* without huge pages the curve is that of base pages, also in quick mode */
	if (rc == 0 && (!env->quick || !sd_pages_usable(SD_PAGES_HUGE)))
		rc = add_placed(c, env->topology, base, SD_CORE_SETS_COMPACT, n);
	if (rc == 0 && !env->quick)
		rc = add_placed(c, env->topology, processes, SD_CORE_SETS_COMPACT, n);
	if (rc == 0 && spreads(env->topology, n))
		rc = add_placed(c, env->topology, main, SD_CORE_SETS_SPREAD, n);
	return rc;
}

static int make_cells(const struct sd_kernel_env *env, struct cells *c)
{
	const struct sd_topology *t = env->topology;
	unsigned count[SD_BANDWIDTH_COUNTS];
	const size_t n = sd_core_sets_counts(env, 1, count, SD_BANDWIDTH_COUNTS);
	int rc = 0;

	/* all cores first, then one: what is asked for first, whatever the machine has time for */
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const size_t k = i == 0 ? n - 1 : i - 1;

		rc = add_count(c, env, count[k], k == 0 || k + 1 == n);
	}
	for (unsigned d = 0;
		rc == 0 && !env->quick && t->n_llc > 1 && d < t->n_llc && d < DOMAINS_MAX; d++)
		rc = add_domain(c, t, 0, d);
	for (unsigned d = 0;
		rc == 0 && !env->quick && t->n_numa > 1 && d < t->n_numa && d < DOMAINS_MAX; d++)
		rc = add_domain(c, t, 1, d);
	return rc;
}

/* Quick mode measures huge pages only: where they were not to be had, base pages take their place.
 */
static int run_cell(struct sd_bandwidth *b, struct sd_bandwidth_cell *cell)
{
	const size_t first = b->rows->n;
	int rc = sd_bandwidth_cell_run(b, cell);

	for (size_t i = first; i < b->rows->n; i++)
		if (b->rows->row[i].n > 0)
			return rc;
	if (rc || !b->env->quick || cell->pages != SD_PAGES_HUGE || !sd_pages_usable(cell->pages))
		return rc;
	cell->pages = SD_PAGES_BASE;
	return sd_bandwidth_cell_run(b, cell);
}

static int run(int only, const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_bandwidth b = {.env = env, .rows = rows, .only = only, .begin = sd_clock_s()};
	const size_t first = rows->n;
	struct cells cells = {0};
	int rc = make_cells(env, &cells);

	if (rc == 0) {
		b.effective = sd_llc_effective(env);
		b.cells = cells.n;
	}
	for (size_t i = 0; rc == 0 && i < cells.n; i++) {
		if (env->stop && *env->stop)
			rc = -EINTR;
		else
			rc = run_cell(&b, &cells.cell[i]);
		b.done++;
	}
	if (rc == 0)
		rc = sd_bandwidth_ceilings_add(rows, first);
	cells_free(&cells);
	return rc;
}

static int run_all(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	return run(-1, env, rows);
}

const struct sd_kernel sd_kernel_bandwidth = {
	.name = "bandwidth",
	.summary =
		"memory bandwidth: triad, copy, scale, add, read, write; the best is the ceiling",
	.weight = 9,
	.run = run_all,
};

/* Each op alone. */
#define KERNEL(id, op, text)                                                             \
	static int run_##op(const struct sd_kernel_env *env, struct sd_bench_rows *rows) \
	{                                                                                \
		return run(SD_STREAM_##id, env, rows);                                   \
	}                                                                                \
	const struct sd_kernel sd_kernel_##op = {                                        \
		.name = #op,                                                             \
		.summary = text,                                                         \
		.weight = 0,                                                             \
		.run = run_##op,                                                         \
	};

KERNEL(TRIAD, triad, "memory bandwidth of a[i] = b[i] + s c[i]")
KERNEL(COPY, copy, "memory bandwidth of a[i] = b[i]")
KERNEL(SCALE, scale, "memory bandwidth of a[i] = s b[i]")
KERNEL(ADD, add, "memory bandwidth of a[i] = b[i] + c[i]")
KERNEL(READ, read, "memory bandwidth of summing a[i]")
KERNEL(WRITE, write, "memory bandwidth of a[i] = s")
