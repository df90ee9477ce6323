#include "calibration/bench_curves.h"

#include <math.h>
#include <string.h>

#include "base/cpulist.h"
#include "calibration/bench_sections.h"

static int is_latency(const struct sd_profile *p, const struct sd_bench_row *r, const char *kernel)
{
	return strcmp(r->kernel, kernel) == 0 && sd_bench_row_has(r) &&
	       r->state == sd_profile_main_state(p) && strcmp(r->unit, "ns") == 0;
}

void sd_bench_curve_latency(const struct sd_profile *p, int huge, sd_bench_curve_add add, void *to)
{
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *const r = &p->rows.row[i];

		if (is_latency(p, r, "latency") && !sd_bench_row_is(r, "level", NULL) &&
			sd_bench_row_is(r, "pages", "4KiB") == !huge)
			add(to, r->parameter, r);
	}
}

/* The bandwidth meanwhile: the next row of the variant. NULL: there is none. */
static const struct sd_bench_row *bandwidth_of(const struct sd_profile *p, size_t i)
{
	const struct sd_bench_row *const r = &p->rows.row[i];

	for (size_t k = i + 1; k < p->rows.n; k++) {
		const struct sd_bench_row *const b = &p->rows.row[k];

		if (strcmp(b->kernel, "loaded") == 0 && strcmp(b->unit, "GB/s") == 0 &&
			b->state == r->state && strcmp(b->variant, r->variant) == 0 &&
			b->cores == r->cores)
			return sd_bench_row_has(b) ? b : NULL;
	}
	return NULL;
}

void sd_bench_curve_loaded(const struct sd_profile *p, const char *mix, unsigned cores,
	sd_bench_curve_add add, void *to)
{
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *const r = &p->rows.row[i];
		const struct sd_bench_row *b;

		if (!is_latency(p, r, "loaded") || (cores && r->cores != cores) ||
			!sd_bench_row_is(r, "mix", mix))
			continue;
		b = bandwidth_of(p, i);
		if (b)
			add(to, b->median, r);
	}
}

static size_t index_of(struct sd_bench_matrix *m, unsigned cpu)
{
	size_t i = 0;

	while (i < m->n && m->cpu[i] != cpu)
		i++;
	if (i == m->n && m->n < SD_BENCH_MATRIX)
		m->cpu[m->n++] = cpu;
	return i;
}

static void add_pair(struct sd_bench_matrix *m, const struct sd_bench_row *r)
{
	struct sd_cpulist pair = {0};

	if (sd_cpulist_parse(r->cpus, &pair) == 0 && pair.n == 2) {
		const size_t a = index_of(m, pair.cpu[0]), b = index_of(m, pair.cpu[1]);

		if (a < SD_BENCH_MATRIX && b < SD_BENCH_MATRIX) {
			m->row[a][b] = m->row[b][a] = r;
			m->low = fmin(m->low, r->median);
			m->high = fmax(m->high, r->median);
		}
	}
	sd_cpulist_free(&pair);
}

void sd_bench_matrix_fill(
	struct sd_bench_matrix *m, const struct sd_profile *p, const char *op, unsigned state)
{
	*m = (struct sd_bench_matrix){.low = INFINITY};
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *const r = &p->rows.row[i];

		if (strcmp(r->kernel, "transfer") == 0 && sd_bench_row_has(r) &&
			r->state == state && r->cores == 2 && sd_bench_row_is(r, "op", op) &&
			sd_bench_row_is(r, "line", "median"))
			add_pair(m, r);
	}
}
