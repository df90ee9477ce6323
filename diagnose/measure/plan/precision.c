#include "plan/precision.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

/* Locates the ends of a 95 % interval to a few percent of its width. That is enough here, where it
 * only decides whether more runs are needed. */
#define BOOTSTRAPS 400
/* a random stream of its own: the analysis and the order of the runs use the same seed */
#define STREAM UINT64_C(0x707265636973)

static double drawn_median(const double *value, size_t n, unsigned *times, struct sd_random *random)
{
	size_t middle[2];

	sd_statistics_draw(random, n, times, middle);
	return value[middle[0]] + (value[middle[1]] - value[middle[0]]) / 2;
}

double sd_precision_ratio(double *a, size_t n_a, double *b, size_t n_b, uint64_t seed)
{
	double ratio[BOOTSTRAPS], middle;
	struct sd_interval all;
	struct sd_random random;
	unsigned *times;

	if (n_a < 2 || n_b < 2)
		return INFINITY;
	times = calloc(n_a > n_b ? n_a : n_b, sizeof *times);
	if (!times)
		return INFINITY;
	sd_statistics_sort(a, n_a);
	sd_statistics_sort(b, n_b);
	middle = sd_statistics_median(a, n_a) / sd_statistics_median(b, n_b);
	sd_random_seed(&random, seed, STREAM);
	for (size_t i = 0; i < BOOTSTRAPS; i++) {
		const double x = drawn_median(a, n_a, times, &random);

		ratio[i] = x / drawn_median(b, n_b, times, &random);
	}
	free(times);
	/* percentiles, even of few runs */
	all = sd_statistics_interval(middle, ratio, BOOTSTRAPS, SD_STATISTICS_FEW);
	return middle > 0 && isfinite(all.high - all.low) ? (all.high - all.low) / 2 / middle
							  : INFINITY;
}
