#include "plan/precision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Enough for the ends of a 95 % interval to a few percent of its width: this only decides about
 * more runs. */
#define BOOTSTRAPS 400

static int rising(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts. */
static double median_of(double *value, size_t n)
{
	qsort(value, n, sizeof *value, rising);
	return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

double sd_precision_median(const double *value, size_t n)
{
	double *copy = n ? malloc(n * sizeof *copy) : NULL, m;

	if (!copy)
		return NAN;
	memcpy(copy, value, n * sizeof *copy);
	m = median_of(copy, n);
	free(copy);
	return m;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double drawn_median(const double *value, size_t n, double *room, uint64_t *random)
{
	for (size_t i = 0; i < n; i++)
		room[i] = value[(size_t)((next_random(random) >> 32) * n >> 32)];
	return median_of(room, n);
}

double sd_precision_ratio(const double *a, size_t n_a, const double *b, size_t n_b, uint64_t seed)
{
	const size_t room = n_a > n_b ? n_a : n_b;
	double *drawn, *ratio, width, middle;

	if (n_a < 2 || n_b < 2)
		return INFINITY;
	drawn = malloc(room * sizeof *drawn);
	ratio = malloc(BOOTSTRAPS * sizeof *ratio);
	middle = sd_precision_median(a, n_a) / sd_precision_median(b, n_b);
	for (size_t i = 0; drawn && ratio && i < BOOTSTRAPS; i++) {
		const double x = drawn_median(a, n_a, drawn, &seed);

		ratio[i] = x / drawn_median(b, n_b, drawn, &seed);
	}
	width = INFINITY;
	if (drawn && ratio && middle > 0) {
		qsort(ratio, BOOTSTRAPS, sizeof *ratio, rising);
		width = ratio[BOOTSTRAPS * 975 / 1000 - 1] - ratio[BOOTSTRAPS * 25 / 1000];
	}
	free(drawn);
	free(ratio);
	return isfinite(width) ? width / 2 / middle : INFINITY;
}
