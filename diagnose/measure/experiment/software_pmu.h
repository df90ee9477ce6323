/*
 * The software PMU as an experiment: runs each point once under it, for counts instead of times.
 */
#ifndef SD_SOFTWARE_PMU_H
#define SD_SOFTWARE_PMU_H

#include "experiment/arm.h"

/* s that the next run of the point may take: of the time there is, what has gone by since this
 * scalediag kept a run is over; a pause before --resume, or of a suspended machine, is not of it.
 */
double sd_software_pmu_longest(const struct sd_arm_round *r, size_t point);

/* Makes and keeps one run of the point. 0, also if it was made before; 1: useless, see r->why;
 * -errno. */
int sd_software_pmu_run(struct sd_arm_round *r, size_t point);

#endif
