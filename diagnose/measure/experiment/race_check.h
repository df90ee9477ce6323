/*
 * The program once under Valgrind's Helgrind: which accesses of its threads nothing orders.
 */
#ifndef SD_RACE_CHECK_H
#define SD_RACE_CHECK_H

#include "experiment/arm.h"

/* Makes one run, with the races in run->tried. As sd_arm_run(). */
int sd_race_check_run(struct sd_arm_round *r, struct sd_run *run);

#endif
