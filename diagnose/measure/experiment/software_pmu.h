/*
 * The software PMU as an experiment: each point once under it, counts instead of times.
 */
#ifndef SD_SOFTWARE_PMU_H
#define SD_SOFTWARE_PMU_H

#include "experiment/arm.h"

/* One run of the point, kept. 0, also when it has been made before; 1 it is of no use, see r->why;
 * -errno. */
int sd_software_pmu_run(struct sd_arm_round *r, size_t point);

#endif
