#include "experiment/arm.h"

#include <math.h>

#include "plan/schedule.h"

#define TIMES_MOST 10.0
#define TIMEOUT_LEAST 5.0

double sd_arm_timeout(const struct sd_arm_round *r, size_t point)
{
	const double plain = sd_schedule_wall(r->t->record, point);
	const double given = r->t->measure->options->timeout_s;
	const double own = isfinite(plain) ? fmax(TIMEOUT_LEAST, TIMES_MOST * plain) : 0;

	return given > 0 && (own <= 0 || given < own) ? given : own;
}
