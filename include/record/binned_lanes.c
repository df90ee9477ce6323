#include "record/binned_lanes.h"

#include <stdlib.h>

/* Point i of n is the k-th of `most` chosen ones if it is the one nearest to k (n - 1) / (most -
 * 1). */
static int is_chosen(size_t point, size_t n_point)
{
	const size_t last = n_point - 1, gaps = SD_BINNED_RECORD_RUNS - 1;
	const size_t k = (point * gaps + last / 2) / last;

	return (k * last + gaps / 2) / gaps == point;
}

unsigned sd_binned_lanes_most(size_t point, size_t n_point)
{
	const size_t runs = n_point < SD_BINNED_RECORD_RUNS ? n_point : SD_BINNED_RECORD_RUNS;
	const unsigned each = runs ? SD_BINNED_RECORD_STEPS / (unsigned)runs : 0;

	if (point >= n_point || (n_point > runs && !is_chosen(point, n_point)))
		return 0;
	return each < SD_BINNED_STEPS ? each : SD_BINNED_STEPS;
}

void sd_binned_lanes_free(struct sd_binned_lanes *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n_lane; i++)
		free(l->lane[i].step);
	free(l->lane);
	free(l->doing);
	free(l);
}
