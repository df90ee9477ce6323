#include "analysis/profile_comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

#include "base/statistics.h"
#include "bench/profile_pairs.h"
#include "bench/profile_pick.h"

#define LEAST 0.05 /* runs of one machine differ by this much between days */
/* Degrees of freedom that the spread of all a kernel's rows adds to that of one row: they are
 * alike, not the same (a moderated t: Smyth, 2004). */
#define ALIKE 2

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

/* A pair of rows with a number on both sides. */
struct pair {
	const struct sd_bench_row *a, *b;
	double shift; /* ln(b / a) */
};

static int apart(double low1, double high1, double low2, double high2)
{
	return high1 < low2 || high2 < low1;
}

/* A point of a curve near a capacity jumps with the pages it gets; what is read off the curves does
 * not, but for how much of a shared cache the neighbours leave. */
static int is_comparable(const struct sd_bench_row *r)
{
	static const char *const curves[] = {"latency", "tlb"}, *const read_off[] = {
									"level", "benefit"};
	char word[32];
	int curve = 0;

	for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
		curve |= strcmp(r->kernel, curves[i]) == 0;
	for (size_t i = 0; curve && i < sizeof read_off / sizeof *read_off; i++)
		curve = sd_bench_row_key(r, read_off[i], word, sizeof word) != 0;
	return !curve;
}

/* The very same numbers: one profile, or a copy of it. */
static int same_numbers(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	const double *const x[] = {&a->median, &a->q1, &a->q3, &a->low, &a->high},
			    *const y[] = {&b->median, &b->q1, &b->q3, &b->low, &b->high};
	int same = 1;

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		same &= *x[i] == *y[i] || (isnan(*x[i]) && isnan(*y[i]));
	return same;
}

/* Can the two tell whether it changed? Samples of one calibration lie close together in time and do
 * not show what a second one would. */
static int can_tell(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	return same_numbers(a, b) || (a->calibrations > 1 && b->calibrations > 1);
}

/* Mean square of what the calibrations of either side differ by, over the rows of a kernel: three
 * of one row alone tell little of their spread. */
static double spread_of(const struct pair *p, size_t n, const char *kernel)
{
	double sum = 0;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(p[i].a->kernel, kernel) == 0 && !same_numbers(p[i].a, p[i].b)) {
			sum += p[i].a->between * p[i].a->between +
			       p[i].b->between * p[i].b->between;
			m += 2;
		}
	return m ? sum / (double)m : 0;
}

/*
 * Quantile 1 - 4e-5 of Student's t by degrees of freedom, from 2 on: of the 6000 numbers in 45
 * pairs of calibrations of an unchanged machine, half a one is beyond it. A few calibrations that
 * agree by luck are what makes it large.
 */
static double quantile(unsigned df)
{
	static const double t[] = {111.8, 30.2, 16.4, 11.7, 9.4, 8.2, 7.3, 6.8, 6.4, 6.1, 5.8, 5.6,
		5.5, 5.4, 5.2, 5.2, 5.1, 5.0, 4.9};
	const unsigned last = sizeof t / sizeof *t - 1;

	return df < 2 ? INFINITY : t[df - 2 < last ? df - 2 : last];
}

/* The largest |ln(b / a)| that an unchanged machine may show: by the row's own spread, which a few
 * calibrations tell badly, and by its kernel's. *noise is the standard deviation by its own. */
static double largest(const struct pair *all, size_t n, const struct pair *p, double *noise)
{
	/* both are there in all `compared` pairs:
	 * NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	const unsigned na = p->a->calibrations, nb = p->b->calibrations;
	const double sa = p->a->between * p->a->between, sb = p->b->between * p->b->between;
	unsigned df;
	double own;

	*noise = 0;
	if (same_numbers(p->a, p->b) || na < 2 || nb < 2)
		return 0; /* one and the same measurement */
	df = na + nb - 2;
	own = (na - 1) * sa + (nb - 1) * sb;
	*noise = sqrt(sa / na + sb / nb);
	return quantile(df + ALIKE) * sqrt((own + ALIKE * spread_of(all, n, p->a->kernel)) /
					      (df + ALIKE) * (1. / na + 1. / nb));
}

static int moved(const struct pair *p, double bound)
{
	/* a number that was or is 0 has no ratio: its samples alone tell */
	if (same_numbers(p->a, p->b) || !apart(p->a->q1, p->a->q3, p->b->q1, p->b->q3))
		return 0;
	if (!(p->a->median > 0 && p->b->median > 0))
		return 1;
	return fabs(p->b->median - p->a->median) > LEAST * p->a->median && fabs(p->shift) > bound;
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
	const int better = direction(a->unit), more = b->median > a->median;

	return SD_APPEND(out->change, out->n,
		&(struct sd_bench_change){a, b, b->median / a->median,
			better == 0                   ? SD_CHANGE_OTHER
			: (better > 0) == (more != 0) ? SD_CHANGE_BETTER
						      : SD_CHANGE_WORSE});
}

/* All pairs; their number goes to out->compared. */
static void collect(const struct sd_profile *before, const struct sd_profile *after,
	struct pair *pair, struct sd_bench_comparison *out)
{
	for (size_t i = 0; i < before->rows.n; i++) {
		const struct sd_bench_row *a = &before->rows.row[i], *b;

		if (!sd_bench_row_has(a) || !is_comparable(a))
			continue;
		b = sd_profile_counterpart(before, i, after);
		if (!b || !sd_bench_row_has(b))
			out->lost++;
		else if (!can_tell(a, b))
			out->few++;
		else
			pair[out->compared++] = (struct pair){a, b,
				a->median > 0 && b->median > 0 ? log(b->median / a->median) : 0};
	}
}

/* Adds the rows that moved beyond chance. work[2 n]: the rows' noise, then their bounds. */
static int select_moved(const struct pair *pair, double *work, struct sd_bench_comparison *out)
{
	const size_t n = out->compared;
	double *const bound = work + n;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		bound[i] = largest(pair, n, &pair[i], &work[i]);
		if (moved(&pair[i], bound[i]))
			rc = add(out, pair[i].a, pair[i].b);
	}
	out->noise = n ? sd_statistics_select(work, n, n / 2) : 0;
	out->smallest = fmax(LEAST, n ? exp(sd_statistics_select(bound, n, n / 2)) - 1 : 0);
	out->blind = out->smallest > 1;
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
		.calibrations_before = before->calibrations,
		.calibrations_after = after->calibrations,
		.quiet = sd_profile_was_quiet(before) && sd_profile_was_quiet(after)};
	if (out->differs && strcmp(out->differs, SD_PROFILE_OTHER_CPUS) == 0 &&
		before->granted != after->granted) {
		out->granted_before = before->granted;
		out->granted_after = after->granted;
	}
	if (rc == 0) {
		collect(before, after, pair, out);
		for (size_t i = 0; i < after->rows.n; i++)
			numbers_after += (size_t)(sd_bench_row_has(&after->rows.row[i]) &&
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
