#include "measure/measure_rest.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "measure/measure_budget.h"
#include "measure/measure_run.h"

#define LOOK_S .1

/* So many times the expected time: a state that ends at any moment alike lasts longer once in seven
 * times. */
#define MOST 2

/* May it go on, and leave a budget room for the run that it is for? */
static int may_wait(const struct sd_measure_job *j, double until)
{
	return sd_clock_s() < until &&
	       sd_measure_budget_fits(j, j->record->plan.n_point - 1, 1, sd_measure_budget_end(j));
}

int sd_measure_rest(struct sd_measure_job *j, const struct sd_rest *rest, double *rested)
{
	const double begun = sd_clock_s();

	*rested = 0;
	if (!(rest->seconds > 0))
		return 0;
	snprintf(j->why, sizeof j->why, "a rest, until the CPUs are in the compared placement");
	while (may_wait(j, begun + MOST * rest->seconds)) {
		const struct sd_value line = sd_trial_line(&j->trial);

		if (!sd_has(line) || (line.value > rest->split) == rest->far)
			break;
		if (j->measure->stop && *j->measure->stop)
			return -EINTR;
		sd_measure_run_show(j, 0);
		nanosleep(&(struct timespec){.tv_nsec = (long)(LOOK_S * 1e9)}, NULL);
	}
	*rested = sd_clock_s() - begun;
	return 0;
}
