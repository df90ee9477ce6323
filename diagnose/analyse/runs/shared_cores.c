#include "runs/shared_cores.h"

#include <math.h>

#include "runs/machine_borders.h"
#include "record/disturbed_runs.h"

/* Mean of a metric over the point's runs that have it; 0 if fewer than half do. A few runs too
 * short to measure it do not invalidate the others. */
static double mean(const struct sd_chosen *p, enum sd_metric m)
{
	double sum = 0;
	size_t n = 0;

	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_value v = p->run[j]->metric[m];

		if (!sd_run_parts_usable(v) || v.value <= 0)
			continue;
		sum += v.value;
		n++;
	}
	return n && 2 * n >= p->n_run ? sum / (double)n : 0;
}

struct sd_shared_cores sd_shared_cores_make(
	const struct sd_record *r, const struct sd_chosen *ref, const struct sd_chosen *last)
{
	const double least = mean(last, SD_METRIC_WIDTH_LEAST);
	struct sd_shared_cores n = {.more = 1, .less = 1};

	n.ref = mean(ref, SD_METRIC_WIDTH);
	n.last = mean(last, SD_METRIC_WIDTH);
	if (!(n.ref > 0) || !(n.last > 0) || !(least > 0))
		return n;
	n.known = 1;
	n.uneven = fmax(0, 1 - least / n.last);
	n.whole = fmax(sd_disturbed_runs_whole(ref->run, ref->n_run),
		sd_disturbed_runs_whole(last->run, last->n_run));
	n.comparable = ref != last && sd_machine_borders_alike(r, ref, last);
	if (n.comparable) {
		/* if threads wait for each other, the narrowest core sets the pace of all */
		n.more = fmax(1, n.ref / least);
		n.less = fmin(1, n.ref / n.last);
	}
	return n;
}
