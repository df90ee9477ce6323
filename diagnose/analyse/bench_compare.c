#include "bench_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 0.05 /* runs of one machine differ by this much between days */
#define SAMPLES_MIN 4u
#define SAMPLES_MANY 10u
#define SAME_STATE 1.5

/* Is more of this unit better (1), worse (-1) or neither (0)? */
static int direction(const char *unit)
{
	static const struct {
		const char *unit;
		int better;
	} known[] = {{"GB/s", 1}, {"1/s", 1}, {"GHz", 1}, {"ns", -1}, {"us", -1}, {"s", -1}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(unit, known[i].unit) == 0)
			return known[i].better;
	return 0;
}

static int has_number(const struct sd_bench_row *r)
{
	const enum sd_status s = sd_bench_row_value(r).status;

	return s == SD_STATUS_OK || s == SD_STATUS_NOISY;
}

/* The state of `to` with the round trip of state i of `from`; -1 when there is none. */
static int map_state(const struct sd_states *from, const struct sd_states *to, unsigned i)
{
	if (i >= from->n || to->n == 0)
		return from->n == 0 && to->n == 0 ? (int)i : -1;
	for (unsigned k = 0; k < to->n; k++) {
		const double factor = from->line[i] > to->line[k] ? from->line[i] / to->line[k]
								  : to->line[k] / from->line[i];

		if (factor <= SAME_STATE)
			return (int)k;
	}
	return -1;
}

/* The same thing measured, whatever its parameter. The ceiling is the best of whichever variant. */
static int same_thing(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && a->cores == b->cores &&
	       strcmp(a->unit, b->unit) == 0 &&
	       (strcmp(a->kernel, "ceiling") == 0 || strcmp(a->variant, b->variant) == 0);
}

/* Which of the like rows of its profile and state is row i? */
static size_t rank_of(const struct sd_bench_rows *rows, size_t i)
{
	size_t rank = 0;

	for (size_t k = 0; k < i; k++)
		rank += same_thing(&rows->row[k], &rows->row[i]) &&
			rows->row[k].state == rows->row[i].state;
	return rank;
}

static const struct sd_bench_row *find(
	const struct sd_bench_rows *rows, const struct sd_bench_row *like, int state, size_t rank)
{
	for (size_t i = 0; state >= 0 && i < rows->n; i++)
		if (rows->row[i].state == (unsigned)state && same_thing(&rows->row[i], like) &&
			rank-- == 0)
			return &rows->row[i];
	return NULL;
}

static int apart(double low1, double high1, double low2, double high2)
{
	return high1 < low2 || high2 < low1;
}

static int moved(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	const double na = 1.57 * (a->q3 - a->q1) / sqrt((double)a->n),
		     nb = 1.57 * (b->q3 - b->q1) / sqrt((double)b->n);

	if (a->n < SAMPLES_MIN || b->n < SAMPLES_MIN)
		return 0;
	if (!(fabs(b->median - a->median) > LEAST * fabs(a->median)))
		return 0;
	if (a->n < SAMPLES_MANY || b->n < SAMPLES_MANY)
		return apart(a->low, a->high, b->low, b->high);
	return apart(a->q1, a->q3, b->q1, b->q3) &&
	       apart(a->median - na, a->median + na, b->median - nb, b->median + nb);
}

static double size_of(const struct sd_bench_change *c)
{
	return c->ratio > 0 ? fabs(log(c->ratio)) : INFINITY;
}

static int largest_first(const void *a, const void *b)
{
	const double x = size_of(a), y = size_of(b);

	return (x < y) - (x > y);
}

static int add(
	struct sd_bench_comparison *out, const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	struct sd_bench_change *p = realloc(out->change, (out->n + 1) * sizeof *p);
	const int better = direction(a->unit), more = b->median > a->median;

	if (!p)
		return -ENOMEM;
	out->change = p;
	p[out->n++] = (struct sd_bench_change){a, b, b->median / a->median,
		better == 0                   ? SD_CHANGE_OTHER
		: (better > 0) == (more != 0) ? SD_CHANGE_BETTER
					      : SD_CHANGE_WORSE};
	return 0;
}

int sd_bench_compare(const struct sd_profile *before, const struct sd_profile *after,
	struct sd_bench_comparison *out)
{
	size_t numbers_after = 0;
	int rc = 0;

	*out = (struct sd_bench_comparison){
		.differs = sd_profile_differs(&before->key, &after->key),
		.states_before = (int)before->states.n,
		.states_after = (int)after->states.n};
	for (size_t i = 0; i < after->rows.n; i++)
		numbers_after += (size_t)has_number(&after->rows.row[i]);
	for (size_t i = 0; rc == 0 && i < before->rows.n; i++) {
		const struct sd_bench_row *a = &before->rows.row[i], *b;

		if (!has_number(a))
			continue;
		b = find(&after->rows, a, map_state(&before->states, &after->states, a->state),
			rank_of(&before->rows, i));
		if (!b || !has_number(b)) {
			out->lost++;
			continue;
		}
		out->compared++;
		if (moved(a, b))
			rc = add(out, a, b);
	}
	out->gained = numbers_after - out->compared;
	if (out->n > 0)
		qsort(out->change, out->n, sizeof *out->change, largest_first);
	return rc;
}

void sd_bench_comparison_free(struct sd_bench_comparison *c)
{
	free(c->change);
	*c = (struct sd_bench_comparison){0};
}
