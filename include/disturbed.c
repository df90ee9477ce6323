#include "disturbed.h"

#include <math.h>

static int is_time(struct sd_value v)
{
	return sd_has(v) && isfinite(v.value) && v.value >= 0;
}

double sd_disturbed_share(const struct sd_run *run, unsigned n, int *known)
{
	const struct sd_value steal = run->metric[SD_METRIC_STEAL];
	const struct sd_value foreign = run->metric[SD_METRIC_FOREIGN];
	const struct sd_value wall = run->metric[SD_METRIC_WALL];
	double sum = 0;

	if (is_time(steal))
		sum += steal.value;
	if (is_time(foreign))
		sum += foreign.value;
	*known |= is_time(steal) || is_time(foreign);
	/* counted in ticks, and from before the program's start to after its end: on a busy machine
	 * more than fits into a short run */
	return is_time(wall) && wall.value > 0 ? fmin(1, sum / (n * wall.value)) : 0;
}

size_t sd_disturbed_leave_out(const struct sd_run **run, size_t count, unsigned n)
{
	while (count > SD_DISTURBED_LEFT) {
		double most = 0;
		size_t worst = 0;
		int known = 0;

		for (size_t j = 0; j < count; j++) {
			const double x = sd_disturbed_share(run[j], n, &known);

			if (x > most) {
				most = x;
				worst = j;
			}
		}
		if (most <= SD_DISTURBED_FROM)
			break;
		run[worst] = run[--count];
	}
	return count;
}
