#include "analysis/profile_comparison.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"

#define LEAST 0.05 /* runs of one machine differ by this much between days */
#define SAMPLES_MIN 4u
#define SAMPLES_MANY 10u
#define ROWS_MIN 12u   /* ratios that tell the noise between two calibrations */
#define DEVIATIONS 3.5 /* beyond that many, an outlier (Iglewicz and Hoaglin 1993) */

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
static int map_state(
	const struct sd_machine_states *from, const struct sd_machine_states *to, unsigned i)
{
	if (i >= from->n || to->n == 0)
		return from->n == 0 && to->n == 0 ? (int)i : -1;
	for (unsigned k = 0; k < to->n; k++)
		if (sd_kernel_states_same(from->line[i], to->line[k]))
			return (int)k;
	return -1;
}

/* The same thing measured, whatever its parameter. The ceiling is the best of whichever variant. */
static int same_thing(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && a->cores == b->cores &&
	       strcmp(a->unit, b->unit) == 0 &&
	       (strcmp(a->kernel, "ceiling") == 0 || strcmp(a->variant, b->variant) == 0);
}

/* Along the like rows of a profile: those of one point of a sweep follow each other, a row a state.
 */
struct walk {
	size_t first, points; /* the point's first row; points begun */
};

/* A state that was never seen at a point must not shift the points after it. */
static size_t step(const struct sd_bench_rows *rows, size_t i, struct walk *w)
{
	const struct sd_bench_row *const r = &rows->row[i];
	int fresh = w->points == 0 || rows->row[w->first].parameter != r->parameter;

	for (size_t k = w->first; k < i && !fresh; k++)
		fresh = rows->row[k].state == r->state && same_thing(&rows->row[k], r);
	if (fresh) {
		w->first = i;
		w->points++;
	}
	return w->points - 1;
}

/* Which point of its sweep is row i? */
static size_t point_of(const struct sd_bench_rows *rows, size_t i)
{
	struct walk w = {0};

	for (size_t k = 0; k < i; k++)
		if (same_thing(&rows->row[k], &rows->row[i]))
			step(rows, k, &w);
	return step(rows, i, &w);
}

static const struct sd_bench_row *find(
	const struct sd_bench_rows *rows, const struct sd_bench_row *like, int state, size_t point)
{
	struct walk w = {0};

	for (size_t i = 0; state >= 0 && i < rows->n; i++)
		if (same_thing(&rows->row[i], like) && step(rows, i, &w) == point &&
			rows->row[i].state == (unsigned)state)
			return &rows->row[i];
	return NULL;
}

static int apart(double low1, double high1, double low2, double high2)
{
	return high1 < low2 || high2 < low1;
}

/* A pair of rows with a number on both sides. */
struct pair {
	const struct sd_bench_row *a, *b;
	double shift; /* ln(b / a) */
};

/* The q-quantile of |v - centre|, n >= 1; work[n] is overwritten. */
static double spread_about(const double *v, size_t n, double centre, double q, double *work)
{
	for (size_t i = 0; i < n; i++)
		work[i] = fabs(v[i] - centre);
	return sd_statistics_select(work, n, (size_t)(q * (double)(n - 1)));
}

/*
 * How much two calibrations of an unchanged machine would differ, as a standard deviation of
 * ln(ratio): samples of one calibration lie close together in time and do not show it. Two robust
 * estimates from all ratios, and the smaller one: the median absolute deviation about the median
 * (x 1.4826) stays small when everything changed alike, the lower third of |ln ratio| (/ 0.43) when
 * some of it changed. Few ratios: 0.
 */
static double noise_between(const struct pair *p, size_t n, double *shift, double *work)
{
	double median, mad, third;
	size_t m = 0;

	/* a resolution or a count that came out the very same has no noise to tell of */
	for (size_t i = 0; i < n; i++)
		if (fabs(p[i].shift) > 0)
			shift[m++] = p[i].shift;
	if (m < ROWS_MIN)
		return 0;
	median = sd_statistics_select(shift, m, m / 2);
	mad = 1.4826 * spread_about(shift, m, median, 0.5, work);
	third = spread_about(shift, m, 0, 1.0 / 3, work) / 0.43;
	return mad < third ? mad : third;
}

/* A point of a curve near a capacity jumps with the pages it gets; what is read off the curves does
 * not. */
static int is_comparable(const struct sd_bench_row *r)
{
	static const char *const curves[] = {"latency", "tlb"}, *const read_off[] = {"level",
									"effective", "benefit"};
	char word[32];
	int curve = 0;

	for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
		curve |= strcmp(r->kernel, curves[i]) == 0;
	for (size_t i = 0; curve && i < sizeof read_off / sizeof *read_off; i++)
		curve = sd_bench_row_key(r, read_off[i], word, sizeof word) != 0;
	return !curve;
}

/* Can the two tell whether it changed? */
static int can_tell(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	const double *const x[] = {&a->median, &a->q1, &a->q3, &a->low, &a->high},
			    *const y[] = {&b->median, &b->q1, &b->q3, &b->low, &b->high};
	int same = 1;

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		same &= *x[i] == *y[i] || (isnan(*x[i]) && isnan(*y[i]));
	return same || (a->n >= SAMPLES_MIN && b->n >= SAMPLES_MIN);
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

/* All pairs; their number goes to out->compared. */
static void collect(const struct sd_profile *before, const struct sd_profile *after,
	struct pair *pair, struct sd_bench_comparison *out)
{
	for (size_t i = 0; i < before->rows.n; i++) {
		const struct sd_bench_row *a = &before->rows.row[i], *b;

		if (!has_number(a) || !is_comparable(a))
			continue;
		b = find(&after->rows, a, map_state(&before->states, &after->states, a->state),
			point_of(&before->rows, i));
		if (!b || !has_number(b))
			out->lost++;
		else if (!can_tell(a, b))
			out->few++;
		else
			pair[out->compared++] = (struct pair){a, b,
				a->median > 0 && b->median > 0 ? log(b->median / a->median) : 0};
	}
}

static int select_moved(const struct pair *pair, double *work, struct sd_bench_comparison *out)
{
	int rc = 0;

	out->noise = noise_between(pair, out->compared, work, work + out->compared);
	out->smallest = fmax(LEAST, exp(DEVIATIONS * out->noise) - 1);
	for (size_t i = 0; rc == 0 && i < out->compared; i++) {
		assert(pair[i].a && pair[i].b);
		if (moved(pair[i].a, pair[i].b) &&
			!(fabs(pair[i].shift) <= DEVIATIONS * out->noise))
			rc = add(out, pair[i].a, pair[i].b);
	}
	if (out->n > 0)
		qsort(out->change, out->n, sizeof *out->change, largest_first);
	return rc;
}

/* Against the side that has fewer numbers: a part of a calibration is compared with all of one,
 * too.
 */
static int is_enough(const struct sd_bench_comparison *c)
{
	const size_t alone = c->lost < c->gained ? c->lost : c->gained;

	return c->compared > 0 && 2 * c->compared >= c->compared + c->few + alone;
}

int sd_profile_compare(const struct sd_profile *before, const struct sd_profile *after,
	struct sd_bench_comparison *out)
{
	const size_t room = before->rows.n ? before->rows.n : 1;
	struct pair *pair = calloc(room, sizeof *pair);
	double *work = calloc(2 * room, sizeof *work);
	size_t numbers_after = 0;
	int rc = pair && work ? 0 : -ENOMEM;

	*out = (struct sd_bench_comparison){
		.differs = sd_profile_differs(&before->key, &after->key),
		.states_before = (int)before->states.n,
		.states_after = (int)after->states.n,
		.quiet = sd_profile_was_quiet(before) && sd_profile_was_quiet(after)};
	if (rc == 0) {
		collect(before, after, pair, out);
		for (size_t i = 0; i < after->rows.n; i++)
			numbers_after += (size_t)(has_number(&after->rows.row[i]) &&
						  is_comparable(&after->rows.row[i]));
		out->gained = numbers_after > out->compared + out->few
				      ? numbers_after - out->compared - out->few
				      : 0;
		out->comparable = is_enough(out);
		rc = select_moved(pair, work, out);
	}
	free(pair);
	free(work);
	return rc;
}

void sd_bench_comparison_free(struct sd_bench_comparison *c)
{
	free(c->change);
	*c = (struct sd_bench_comparison){0};
}
