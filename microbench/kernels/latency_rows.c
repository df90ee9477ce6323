#include "kernels/latency.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/arena.h"
#include "curves/levels.h"
#include "harness/samples.h"

/* The points of a curve in one state, from the rows. */
static size_t curve(const struct sd_latency *l, const struct sd_bench_rows *rows, unsigned state,
	struct sd_level_point *point, const struct sd_bench_row **row)
{
	size_t n = 0, size = 0;

	for (size_t i = 0; i < rows->n && n < SD_LATENCY_SIZES; i++) {
		const struct sd_bench_row *r = &rows->row[i];

		if (r->state != state || r->n == 0 || r->parameter <= 0 || !(r->median > 0) ||
			(r->status != SD_STATUS_OK && r->status != SD_STATUS_NOISY))
			continue;
		while (size < l->n_size && l->size[size] < r->parameter)
			size++;
		point[n] = (struct sd_level_point){
			r->parameter, r->median, size < l->n_size ? l->ratio[size] : NAN};
		row[n++] = r;
	}
	return n;
}

/* A plateau becomes a row: the quartiles are those of its points, the samples all of theirs. */
static int add_level(struct sd_latency *l, const char *pages, const struct sd_levels *levels,
	enum sd_level_name name, const struct sd_bench_row *const *point)
{
	const size_t a = levels->first[name], b = levels->last[name];
	double ns[SD_LATENCY_SIZES];
	struct sd_samples_quartiles q;
	struct sd_bench_row row = sd_kernel_steps_row(
		&l->steps, &l->cpu, "ns", "level=%s pages=%s", sd_level_name[name], pages);

	for (size_t i = a; i <= b; i++)
		ns[i - a] = point[i]->median;
	q = sd_samples_quartiles(ns, b - a + 1);
	row.parameter = levels->bytes[name].value;
	row.parameter_unit = "B";
	row.state = point[a]->state;
	row.status = SD_STATUS_OK;
	for (size_t i = a; i <= b; i++) {
		row.n += point[i]->n;
		row.dropped += point[i]->dropped;
		if (point[i]->status == SD_STATUS_NOISY) {
			row.status = SD_STATUS_NOISY;
			snprintf(row.why, sizeof row.why, "%s", "some of its sizes are noisy");
		}
	}
	row.median = levels->ns[name].value;
	row.q1 = fmin(q.q1, row.median);
	row.q3 = fmax(q.q3, row.median);
	row.low = q.min;
	row.high = q.max;
	return sd_bench_rows_add(l->rows, &row);
}

static int add_effective(
	struct sd_latency *l, const char *pages, const struct sd_levels *levels, unsigned state)
{
	const struct sd_interval e = levels->effective_llc;
	struct sd_bench_row row =
		sd_kernel_steps_row(&l->steps, &l->cpu, "B", "effective=LLC pages=%s", pages);

	if (sd_has(l->env->topology->llc_bytes)) {
		row.parameter = l->env->topology->llc_bytes.value;
		row.parameter_unit = "B visible";
	}
	row.state = state;
	if (e.status == SD_STATUS_NOISY)
		return sd_rows_missing(l->rows, &row, e.status,
			"refused: %.2f MiB is not more than the L2's %.2f MiB: others had the "
			"core meanwhile",
			e.value / (1 << 20), l->env->topology->l2_bytes.value / (1 << 20));
	if (e.status != SD_STATUS_OK)
		return sd_rows_missing(l->rows, &row, SD_STATUS_ABSENT,
			"memory was not reached, or no line can be flushed here");
	row.status = SD_STATUS_OK;
	row.n = 1;
	row.median = e.value;
	row.q1 = row.low = e.low;
	row.q3 = row.high = e.high;
	return sd_bench_rows_add(l->rows, &row);
}

/* Memory's time without a name for it: the median of lines that were flushed. */
static struct sd_value flushed_ns(const struct sd_latency *l)
{
	double ns[SD_LATENCY_SIZES];

	if (l->n_flushed == 0)
		return SD_NOT(ABSENT);
	memcpy(ns, l->flushed, l->n_flushed * sizeof *ns);
	return SD_OK(sd_samples_quartiles(ns, l->n_flushed).median);
}

/* The levels and the effective LLC in one state, when enough of the curve was seen in it. */
static int add_state(struct sd_latency *l, const struct sd_bench_rows *measured, unsigned state,
	const char *pages)
{
	const struct sd_topology *t = l->env->topology;
	const struct sd_level_claims claims = {
		t->l1d_bytes, t->l2_bytes, t->llc_bytes, flushed_ns(l)};
	const struct sd_bench_row *row[SD_LATENCY_SIZES];
	struct sd_level_point point[SD_LATENCY_SIZES];
	const size_t n = curve(l, measured, state, point, row);
	struct sd_levels levels;
	int rc = 0;

	if (n < 8 || n < l->n_size / 4)
		return 0;
	sd_levels_find(point, n, &claims, &levels);
	for (int i = 0; rc == 0 && i < SD_LEVEL_COUNT; i++)
		if (sd_has(levels.ns[i]))
			rc = add_level(l, pages, &levels, (enum sd_level_name)i, row);
	return rc ? rc : add_effective(l, pages, &levels, state);
}

int sd_latency_add_levels(struct sd_latency *l, size_t first, const char *pages)
{
	const size_t last = l->rows->n;
	struct sd_bench_rows measured = {0};
	int rc = 0;

	/* the rows move when new ones are added: the points are copies */
	for (size_t i = first; rc == 0 && i < last; i++)
		rc = sd_bench_rows_add(&measured, &l->rows->row[i]);
	for (unsigned s = 0; rc == 0 && s < SD_STATES_MAX; s++)
		rc = add_state(l, &measured, s, pages);
	sd_bench_rows_free(&measured);
	return rc;
}

static const struct sd_bench_row *find_point(
	const struct sd_latency *l, const char *variant, const struct sd_bench_row *like)
{
	for (size_t i = 0; i < l->rows->n; i++) {
		const struct sd_bench_row *r = &l->rows->row[i];

		if (strcmp(r->kernel, "latency") == 0 && strcmp(r->variant, variant) == 0 &&
			r->state == like->state && r->n > 0 && r->status != SD_STATUS_ABSENT &&
			!(r->parameter < like->parameter) && !(r->parameter > like->parameter))
			return r;
	}
	return NULL;
}

/* Adds the gain of huge pages: base pages' latency over theirs, at the sizes that lie in memory. A
 * huge page of a virtual machine may be made of small ones outside. */
int sd_latency_add_benefit(struct sd_latency *l, unsigned state)
{
	char base[48], huge[48];
	struct sd_bench_row row = sd_kernel_steps_row(
		&l->steps, &l->cpu, "ratio", "benefit=%s level=DRAM", sd_pages_name(SD_PAGES_HUGE));
	double ratio[SD_LATENCY_SIZES];
	struct sd_samples_quartiles q;

	snprintf(base, sizeof base, "pages=%s", sd_pages_name(SD_PAGES_BASE));
	snprintf(huge, sizeof huge, "pages=%s", sd_pages_name(SD_PAGES_HUGE));
	for (size_t i = 0; i < l->rows->n && row.n < SD_LATENCY_SIZES; i++) {
		const struct sd_bench_row *b = &l->rows->row[i], *h;

		if (strcmp(b->kernel, "latency") != 0 || strcmp(b->variant, base) != 0 ||
			b->state != state || b->n == 0 || b->status == SD_STATUS_ABSENT ||
			!sd_has(l->memory_from) || b->parameter < l->memory_from.value)
			continue;
		h = find_point(l, huge, b);
		if (h && h->median > 0)
			ratio[row.n++] = b->median / h->median;
	}
	if (row.n == 0)
		return 0;
	q = sd_samples_quartiles(ratio, row.n);
	row.state = state;
	row.median = q.median;
	row.q1 = q.q1;
	row.q3 = q.q3;
	row.low = q.min;
	row.high = q.max;
	row.status = SD_STATUS_OK;
	return sd_bench_rows_add(l->rows, &row);
}
