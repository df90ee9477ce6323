#include "disturbed.h"

#include <math.h>

#include "statistics.h"

double sd_disturbed_share(const struct sd_run *run, unsigned n, int *known)
{
	const struct sd_value steal = run->metric[SD_METRIC_STEAL];
	const struct sd_value foreign = run->metric[SD_METRIC_FOREIGN];
	const struct sd_value wall = run->metric[SD_METRIC_WALL];
	double sum = 0;

	if (sd_parts_usable(steal))
		sum += steal.value;
	if (sd_parts_usable(foreign))
		sum += foreign.value;
	*known |= sd_parts_usable(steal) || sd_parts_usable(foreign);
	/* counted in ticks, and from before the program's start to after its end: on a busy machine
	 * more than fits into a short run */
	return sd_parts_usable(wall) && wall.value > 0 ? fmin(1, sum / (n * wall.value)) : 0;
}

void sd_disturbed_leave_out(struct sd_chosen *p)
{
	while (p->n_run > SD_STATISTICS_FEW) {
		double most = 0;
		size_t worst = 0;
		int known = 0;

		for (size_t j = 0; j < p->n_run; j++) {
			const double x = sd_disturbed_share(p->run[j], p->n, &known);

			if (x > most) {
				most = x;
				worst = j;
			}
		}
		if (most <= SD_DISTURBED_FROM)
			return;
		p->run[worst] = p->run[--p->n_run];
		p->n_disturbed++;
	}
}
