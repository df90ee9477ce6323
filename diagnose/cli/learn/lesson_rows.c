#include "learn/lesson_rows.h"

#include <math.h>
#include <stdlib.h>

/* Share of the cores; the smallest that causes are named for. */
#define LEAST .05
/* Rows that a screen of 24 lines has room for, beside the rest. */
enum { ROWS_MOST = 5 };

static const struct sd_point *last(const struct sd_diagnosis *d)
{
	return &d->analysis.point[d->analysis.n_point - 1];
}

static int rank(const struct sd_lesson_row *r)
{
	return r->component == SD_COMPONENT_USEFUL ? 0 : 1;
}

static int compare(const void *x, const void *y)
{
	const struct sd_lesson_row *const a = x, *const b = y;

	if (rank(a) != rank(b))
		return rank(a) - rank(b);
	if (a->cores[0] > b->cores[0] || a->cores[0] < b->cores[0])
		return a->cores[0] > b->cores[0] ? -1 : 1;
	return (int)a->component - (int)b->component;
}

size_t sd_lesson_rows(
	const struct sd_diagnosis d[2], struct sd_lesson_row out[SD_COMPONENT_COUNT + 1])
{
	struct sd_lesson_row rest = {.component = SD_COMPONENT_COUNT};
	size_t n = 0;

	for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
		struct sd_lesson_row r = {.component = (enum sd_component)k};
		int large = k == SD_COMPONENT_USEFUL;

		for (int v = 0; v < 2; v++) {
			const struct sd_interval x = last(&d[v])->stack[k];

			r.cores[v] = sd_status_measured(x) ? x.value : 0;
			large |= fabs(r.cores[v]) >= LEAST * last(&d[v])->n;
		}
		if (large)
			out[n++] = r;
		for (int v = 0; v < 2 && !large; v++)
			rest.cores[v] += r.cores[v];
	}
	qsort(out, n, sizeof *out, compare);
	for (; n > ROWS_MOST; n--)
		for (int v = 0; v < 2; v++)
			rest.cores[v] += out[n - 1].cores[v];
	out[n++] = rest;
	return n;
}

const char *sd_lesson_row_label(const struct sd_lesson_row *r)
{
	return r->component == SD_COMPONENT_COUNT ? "everything else"
						  : sd_component_info[r->component].label;
}
