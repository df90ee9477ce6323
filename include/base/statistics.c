#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sd_statistics_sort(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_value);
}

static void swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

/* Hoare's selection with median of three, which is linear for sorted and constant input too. */
double sd_statistics_select(double *v, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		size_t mid = low + (high - low) / 2, i = low, j = high;
		double pivot;

		if (v[mid] < v[low])
			swap(&v[mid], &v[low]);
		if (v[high] < v[low])
			swap(&v[high], &v[low]);
		if (v[high] < v[mid])
			swap(&v[high], &v[mid]);
		pivot = v[mid];
		for (;;) {
			while (v[i] < pivot)
				i++;
			while (pivot < v[j])
				j--;
			if (i >= j)
				break;
			swap(&v[i++], &v[j--]);
		}
		/* j is the last of the low side; equal elements stop both scans, so both sides are
		 * shorter. */
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return v[k];
}

double sd_statistics_median(double *v, size_t n)
{
	double upper, lower;

	if (n == 0)
		return NAN;
	upper = sd_statistics_select(v, n, n / 2);
	if (n % 2)
		return upper;
	lower = v[0];
	for (size_t i = 1; i < n / 2; i++)
		lower = fmax(lower, v[i]);
	return lower + (upper - lower) / 2;
}

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : 0;
}

double sd_statistics_cv(const double *v, size_t n)
{
	double mean = mean_of(v, n), sum = 0;

	if (n < 2 || !(mean > 0))
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sqrt(sum / (double)(n - 1)) / mean;
}

static struct sd_interval interval(double value, double low, double high)
{
	return (struct sd_interval){
		.value = value,
		.low = fmin(low, value),
		.high = fmax(high, value),
		.status = SD_STATUS_OK,
	};
}

void sd_statistics_draw(struct sd_random *random, size_t n, unsigned *times, size_t middle[2])
{
	size_t seen, at = 0;

	memset(times, 0, n * sizeof *times);
	for (size_t j = 0; j < n; j++)
		times[sd_random_below(random, n)]++;
	/* The values are sorted: the median is where the count passes the middle. */
	seen = times[0];
	for (int k = 0; k < 2; k++) {
		while (seen <= (n - 1 + (size_t)k) / 2)
			seen += times[++at];
		middle[k] = at;
	}
}

struct sd_interval sd_statistics_interval(double value, double *v, size_t n, size_t runs)
{
	size_t cut = runs < SD_STATISTICS_FEW ? 0 : n / 40;
	double low, high;

	if (n == 0)
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (runs < 2)
		return sd_status_unbounded(value, SD_STATUS_OK);
	low = sd_statistics_select(v, n, cut);
	high = sd_statistics_select(v, n, n - 1 - cut);
	return interval(value, low, high);
}

double sd_statistics_spread(size_t runs, double t)
{
	static const double mean_range[SD_STATISTICS_FEW] = {0, 0, 1.128, 1.693, 2.059};
	static const double of_five = 1.584; /* rounded up: more runs are never worth less */
	const double r = (double)runs;

	if (runs < 2)
		return INFINITY;
	if (runs < SD_STATISTICS_FEW)
		return fmax(of_five, 2 * t / (mean_range[runs] * sqrt(r)));
	return fmax(1, t / 1.96 * sqrt(r / (r - 1)));
}

static int has_ends(struct sd_interval v)
{
	return (v.status == SD_STATUS_OK || v.status == SD_STATUS_NOISY) &&
	       isfinite(v.high - v.low);
}

struct sd_interval sd_statistics_widen(struct sd_interval v, size_t runs)
{
	double more;

	if (!has_ends(v) || runs < 2)
		return v;
	more = (sd_statistics_spread(runs, sd_statistics_t(runs - 1)) - 1) * (v.high - v.low) / 2;
	return (struct sd_interval){v.value, v.low - more, v.high + more, v.status};
}

struct sd_interval sd_statistics_widen_part(struct sd_interval v, size_t runs, double n)
{
	struct sd_interval w = sd_statistics_widen(v, runs);

	if (has_ends(w))
		w.high = fmin(w.high, fmax(n, v.value));
	return w;
}

struct sd_interval sd_statistics_widen_ratio(struct sd_interval v, size_t runs)
{
	struct sd_interval l;

	if (!has_ends(v) || runs < 2 || !(v.low > 0))
		return v;
	if (runs < SD_STATISTICS_FEW && v.high <= v.low)
		return sd_status_unbounded(v.value, v.status);
	l = sd_statistics_widen(
		(struct sd_interval){log(v.value), log(v.low), log(v.high), v.status}, runs);
	return (struct sd_interval){v.value, exp(l.low), exp(l.high), v.status};
}

/*
 * The largest k for which [v(k), v(n-1-k)] contains the median with 95 % probability: P(Binomial(n,
 * 1/2) <= k-1) must stay below 2.5 %. Probabilities are summed by recurrence in logarithms, because
 * 2^-n underflows.
 */
static size_t order_cut(size_t n)
{
	double log_p = -(double)n * log(2), below = 0;
	size_t k = 0;

	for (; k < n / 2; k++) {
		below += exp(log_p);
		if (below > .025)
			break;
		log_p += log((double)(n - k)) - log((double)(k + 1));
	}
	return k ? k - 1 : 0;
}

/* Not widened. */
static struct sd_interval order(double *v, size_t n)
{
	size_t cut;

	if (n == 0)
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (n == 1)
		return sd_status_unbounded(v[0], SD_STATUS_OK);
	sd_statistics_sort(v, n);
	cut = order_cut(n);
	return interval(n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2, v[cut],
		v[n - 1 - cut]);
}

struct sd_interval sd_statistics_order(double *v, size_t n)
{
	struct sd_interval all = order(v, n);

	if (n >= SD_STATISTICS_FEW)
		return all;
	all = sd_statistics_widen(all, n);
	if (n > 1 && v[0] >= 0)
		all.low = fmax(0, all.low);
	return all;
}

struct sd_interval sd_statistics_order_ratio(double *v, size_t n)
{
	const struct sd_interval all = order(v, n);

	return n < SD_STATISTICS_FEW ? sd_statistics_widen_ratio(all, n) : all;
}

struct sd_interval sd_statistics_share(double k, double n)
{
	const double z = 1.96, p = k / n, square = z * z / n;
	const double middle = (p + square / 2) / (1 + square);
	const double half = z * sqrt(p * (1 - p) / n + square / (4 * n)) / (1 + square);

	return (struct sd_interval){
		p, fmax(0, middle - half), fmin(1, middle + half), SD_STATUS_OK};
}

double sd_statistics_smallest(double cv1, size_t n1, double cv2, size_t n2)
{
	return 2.8 * sqrt(cv1 * cv1 / (double)n1 + cv2 * cv2 / (double)n2);
}

/* Quantile .9995 of Student's t, df >= 1: two-sided 0.1 %. Within 1 %. */
static double student(double df)
{
	static const double table[] = {636.6, 31.60, 12.92, 8.610, 6.869, 5.959, 5.408, 5.041,
		4.781, 4.587, 4.437, 4.318, 4.221, 4.140, 4.073, 4.015, 3.965, 3.922, 3.883, 3.850};
	size_t n = sizeof table / sizeof *table;

	if (df < 2)
		return table[0];
	/* Beyond the table its expansion in 1/df. */
	return df < (double)n + 1 ? table[(size_t)df - 1] : 3.291 + 10.9 / df;
}

double sd_statistics_t(size_t df)
{
	static const double table[] = {
		12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
	const size_t n = sizeof table / sizeof *table;

	/* Beyond the table its expansion in 1/df. */
	return df < 1 ? table[0] : df <= n ? table[df - 1] : 1.960 + 2.6 / (double)df;
}

struct sd_interval sd_statistics_paired(const double *v, size_t n)
{
	const double mean = n ? mean_of(v, n) : 0;
	double sum = 0, half;

	if (n < 2)
		return sd_status_unbounded(mean, n ? SD_STATUS_NOISY : SD_STATUS_ABSENT);
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	half = sd_statistics_t(n - 1) * sqrt(sum / (double)(n - 1) / (double)n);
	return (struct sd_interval){mean, mean - half, mean + half, SD_STATUS_OK};
}

int sd_statistics_differ(const struct sd_group *a, const struct sd_group *b)
{
	double difference = fabs(log(a->median / b->median));
	double va = a->cv * a->cv / (double)a->n, vb = b->cv * b->cv / (double)b->n, df;

	if ((a->n < SD_STATISTICS_FEW || b->n < SD_STATISTICS_FEW) && difference > .2)
		return 1;
	if (a->n < 2 || b->n < 2)
		return 0;
	if (va + vb <= 0)
		return difference > 0;
	df = (va + vb) * (va + vb) / (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));
	return difference > student(df) * 1.25 * sqrt(va + vb);
}

/* Number of pairs of an a and a b in which b is larger; ties count half. */
static double pairs_larger(const double *a, size_t na, const double *b, size_t nb)
{
	double *const sorted = malloc(na * sizeof *sorted), larger = 0;

	if (sorted) {
		memcpy(sorted, a, na * sizeof *sorted);
		sd_statistics_sort(sorted, na);
	}
	for (size_t k = 0; k < nb; k++) {
		size_t below = 0, not_above = na;

		if (!sorted) { /* without memory: as surely, but slowly */
			for (size_t i = 0; i < na; i++)
				larger += b[k] > a[i] ? 1 : b[k] < a[i] ? 0 : .5;
			continue;
		}
		for (size_t end = na; below < end;) {
			const size_t middle = below + (end - below) / 2;

			if (sorted[middle] < b[k])
				below = middle + 1;
			else
				end = middle;
		}
		for (size_t begin = below; begin < not_above;) {
			const size_t middle = begin + (not_above - begin) / 2;

			if (sorted[middle] <= b[k])
				begin = middle + 1;
			else
				not_above = middle;
		}
		larger += (double)below + (double)(not_above - below) / 2;
	}
	free(sorted);
	return larger;
}

int sd_statistics_larger(const double *a, size_t na, const double *b, size_t nb)
{
	const double n = (double)na, m = (double)nb, quantile = 3.0902; /* .999 of the normal */
	double larger = 0;

	double orders = 1; /* of all n + m, by who is of which group */

	if (na == 0 || nb == 0)
		return 0;
	larger = pairs_larger(a, na, b, nb);
	/* of few the normal distribution knows little: that all are larger is one order of
	 * them all */
	for (size_t i = 1; i <= na; i++)
		orders *= (m + (double)i) / (double)i;
	if (larger >= n * m)
		return orders > 1000;
	return larger - n * m / 2 - .5 > quantile * sqrt(n * m * (n + m + 1) / 12);
}
