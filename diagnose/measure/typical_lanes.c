#include "measure/typical_lanes.h"

#include <math.h>

#include "plan/one_run.h"
#include "plan/schedule.h"

static void drop(struct sd_run *run)
{
	sd_binned_lanes_free(run->lanes);
	run->lanes = NULL;
}

void sd_typical_lanes_keep(struct sd_record *r, size_t point)
{
	const double median = sd_schedule_wall(r, point);
	struct sd_run *nearest = NULL;

	for (size_t i = 0; i < r->n_run; i++) {
		struct sd_run *const run = &r->run[i], *farther = run;

		if (run->point != point || !run->lanes)
			continue;
		if (sd_one_run_good(run) &&
			(!nearest ||
				fabs(run->metric[SD_METRIC_WALL].value - median) <
					fabs(nearest->metric[SD_METRIC_WALL].value - median))) {
			farther = nearest;
			nearest = run;
		}
		if (farther)
			drop(farther);
	}
}
