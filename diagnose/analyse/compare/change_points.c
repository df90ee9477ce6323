#include "compare/change_points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "base/random.h"
#include "base/statistics.h"

#define ORDERS 999 /* random ones of a piece */

struct search {
	const double *v;
	struct sd_random random;
	double *rank; /* of the piece's values, mid-ranks where they are equal */
	double *order, *clipped;
	struct sd_change_point *found; /* owned */
	size_t n_found;
};

/* By counting, which is quadratic as the distances are. */
static void rank_values(const double *v, size_t n, double *rank)
{
	for (size_t i = 0; i < n; i++) {
		double less = 0, same = 0;

		for (size_t k = 0; k < n; k++) {
			less += v[k] < v[i];
			same += v[k] == v[i];
		}
		rank[i] = less + (same + 1) / 2;
	}
}

/* Sum of the distances of one value to those of from..to-1. */
static double distances(const double *x, double of, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += fabs(x[i] - of);
	return sum;
}

/*
 * The largest scaled energy distance of a split of x[0..n-1], and where its right side begins: m k
 * / (m + k) (2 E|X-Y| - E|X-X'| - E|Y-Y'|), with X the m values on the left, Y the k on the right,
 * and the means within a side over its pairs (eq. 6 and 7 of Matteson and James). Moving a value
 * from right to left changes the three sums by its distances alone.
 */
static double best_split(const double *x, size_t n, size_t *at)
{
	double left = 0, right = 0, between = 0, best = -INFINITY;

	for (size_t i = 0; i < n; i++)
		right += distances(x, x[i], i + 1, n);
	for (size_t t = 1; t < n; t++) {
		const double to_left = distances(x, x[t - 1], 0, t - 1),
			     to_right = distances(x, x[t - 1], t, n);
		const double m = (double)t, k = (double)(n - t);

		left += to_left;
		right -= to_right;
		between += to_right - to_left;
		if (t >= SD_CHANGE_POINTS_SIDE && n - t >= SD_CHANGE_POINTS_SIDE) {
			const double q = m * k / (m + k) *
					 (2 * between / (m * k) - left / (m * (m - 1) / 2) -
						 right / (k * (k - 1) / 2));

			if (q > best) {
				best = q;
				*at = t;
			}
		}
	}
	return best;
}

static void shuffle(struct sd_random *random, double *x, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		const size_t k = sd_random_below(random, i);
		const double was = x[i - 1];

		x[i - 1] = x[k];
		x[k] = was;
	}
}

static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

static double squares_about(const double *x, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum;
}

static double squares(const double *x, size_t n)
{
	return squares_about(x, n, mean_of(x, n));
}

/* The least that is left of a piece by one level, or by two with the best place for their step, to
 * which
 * `*parameters` adds the levels and the place: what has the smaller BIC. */
static double least_by_levels(const double *x, size_t n, double noise, double *parameters)
{
	const double one = squares(x, n);
	double two = one;

	for (size_t t = SD_CHANGE_POINTS_SIDE; t + SD_CHANGE_POINTS_SIDE <= n; t++)
		two = fmin(two, squares(x, t) + squares(x + t, n - t));
	if ((one - two) / noise < 2 * log((double)n)) {
		*parameters += 1;
		return one;
	}
	*parameters += 3;
	return two;
}

/* Not beyond four deviations of the median, by the median of the distances from it (Hampel 1974):
 * what is compared below are sums of squares, which one outlier would decide. */
static void clip_outliers(double *x, double *scratch, size_t n)
{
	double middle, deviation;

	memcpy(scratch, x, n * sizeof *x);
	middle = sd_statistics_median(scratch, n);
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(x[i] - middle);
	deviation = 1.4826 * sd_statistics_median(scratch, n);
	for (size_t i = 0; i < n; i++)
		x[i] = fmin(fmax(x[i], middle - 4 * deviation), middle + 4 * deviation);
}

/* Does a straight line (least squares) describe the piece better than this step, with one more on
 * either side where that helps, by the Bayesian information criterion (Schwarz 1978)? A staircase
 * is no drift. */
static int is_drift(const double *x, size_t n, size_t at)
{
	const double mean = mean_of(x, n), middle = (double)(n - 1) / 2;
	const double noise = (squares(x, at) + squares(x + at, n - at)) / (double)n;
	double xy = 0, xx = 0, parameters = 1, levels, line;

	for (size_t i = 0; i < n; i++) {
		xy += ((double)i - middle) * (x[i] - mean);
		xx += ((double)i - middle) * ((double)i - middle);
	}
	line = squares_about(x, n, mean) - xy * xy / xx;
	if (!(noise > 0))
		return 0;
	levels = least_by_levels(x, at, noise, &parameters) +
		 least_by_levels(x + at, n - at, noise, &parameters);
	return levels > 0 && (double)n * log(line / levels) < (parameters - 2) * log((double)n);
}

/* Searches v[from..to-1]. 0 or -ENOMEM. */
static int search_piece(struct search *s, size_t from, size_t to)
{
	const size_t n = to - from;
	struct sd_change_point point = {0};
	size_t at = 0, other, as_large = 0;
	double distance;
	int rc;

	if (n < 2 * SD_CHANGE_POINTS_SIDE)
		return 0;
	rank_values(s->v + from, n, s->rank);
	distance = best_split(s->rank, n, &at);
	memcpy(s->clipped, s->v + from, n * sizeof *s->clipped);
	clip_outliers(s->clipped, s->order, n);
	if (is_drift(s->clipped, n, at))
		return 0;
	memcpy(s->order, s->rank, n * sizeof *s->order);
	/* no more orders than it takes to know that they are too many */
	for (size_t i = 0; i < ORDERS && as_large + 1 <= SD_CHANGE_POINTS_P * (ORDERS + 1); i++) {
		shuffle(&s->random, s->order, n);
		as_large += best_split(s->order, n, &other) >= distance;
	}
	point = (struct sd_change_point){from + at, (double)(as_large + 1) / (ORDERS + 1)};
	if (point.p > SD_CHANGE_POINTS_P)
		return 0;
	rc = search_piece(s, from, from + at);
	if (!rc && SD_APPEND(s->found, s->n_found, &point))
		rc = -ENOMEM;
	return rc ? rc : search_piece(s, from + at, to);
}

int sd_change_points_find(const double *v, size_t n, struct sd_change_point **out, size_t *n_out)
{
	struct search s = {.v = v, .rank = calloc(n + 1, sizeof *s.rank)};
	int rc = n > SD_CHANGE_POINTS_MOST ? -EINVAL : 0;

	s.order = calloc(n + 1, sizeof *s.order);
	s.clipped = calloc(n + 1, sizeof *s.clipped);
	*out = NULL;
	*n_out = 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = isfinite(v[i]) ? 0 : -EINVAL;
	if (!rc && (!s.rank || !s.order || !s.clipped))
		rc = -ENOMEM;
	sd_random_seed(&s.random, 1, 0);
	if (!rc)
		rc = search_piece(&s, 0, n);
	free(s.rank);
	free(s.order);
	free(s.clipped);
	if (rc) {
		free(s.found);
		return rc;
	}
	*out = s.found;
	*n_out = s.n_found;
	return 0;
}
