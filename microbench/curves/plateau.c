#include "curves/plateau.h"

#include <stdlib.h>

#include "base/statistics.h"

struct found {
	const double *x, *y;
	struct sd_plateau_rule rule;
	struct sd_plateau *out;
	size_t n, max;
};

/* Without memory to sort in, the middle point: all of a run are within the rule of each other. */
static double level(const double *y, size_t n)
{
	double *sorted = malloc(n * sizeof(*sorted)), m = y[n / 2];

	if (!sorted)
		return m;
	for (size_t i = 0; i < n; i++)
		sorted[i] = y[i];
	m = sd_statistics_median(sorted, n);
	free(sorted);
	return m;
}

/* The end of the longest run that starts at `i` and stays flat, below `end`. */
static size_t run_end(const struct found *f, size_t i, size_t end)
{
	double low = f->y[i], high = f->y[i];
	size_t j = i;

	while (j + 1 < end) {
		double y = f->y[j + 1];

		low = y < low ? y : low;
		high = y > high ? y : high;
		if (high > low * (1 + f->rule.flat))
			break;
		j++;
	}
	return j;
}

static int joins(const struct found *f, const struct sd_plateau *p)
{
	double before = f->out[f->n - 1].level, flat = 1 + f->rule.flat;

	return p->level <= before * flat && before <= p->level * flat;
}

static void keep(struct found *f, size_t first, size_t last)
{
	struct sd_plateau p = {first, last, level(f->y + first, last - first + 1)};

	if (f->n > 0 && f->n <= f->max && joins(f, &p)) {
		f->n--;
		p.first = f->out[f->n].first;
		p.level = level(f->y + p.first, last - p.first + 1);
	}
	if (f->n < f->max)
		f->out[f->n] = p;
	f->n++;
}

static void search(struct found *f, size_t begin, size_t end)
{
	size_t first = begin, last = begin;

	if (begin >= end)
		return;
	for (size_t i = begin; i < end; i++) {
		size_t j = run_end(f, i, end);

		if (f->x[j] * f->x[first] > f->x[last] * f->x[i]) {
			first = i;
			last = j;
		}
	}
	if (f->x[last] < f->x[first] * f->rule.span || first == last)
		return;
	search(f, begin, first);
	keep(f, first, last);
	search(f, last + 1, end);
}

size_t sd_plateau_all(const double *x, const double *y, size_t n, struct sd_plateau_rule rule,
	struct sd_plateau *out, size_t max)
{
	struct found f = {.x = x, .y = y, .rule = rule, .out = out, .max = max};

	search(&f, 0, n);
	return f.n;
}
