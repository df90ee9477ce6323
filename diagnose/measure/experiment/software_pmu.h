/*
 * The software PMU as an experiment: runs each point once under it, for counts instead of times.
 */
#ifndef SD_SOFTWARE_PMU_H
#define SD_SOFTWARE_PMU_H

#include "experiment/arm.h"

/* Makes and keeps one run of the point. 0, also if it was made before; 1: useless, see r->why;
 * -errno. */
int sd_software_pmu_run(struct sd_arm_round *r, size_t point);

#endif
