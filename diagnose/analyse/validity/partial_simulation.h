/*
 * Did the software PMU see all of the program?
 */
#ifndef SD_PARTIAL_SIMULATION_H
#define SD_PARTIAL_SIMULATION_H

#include "case/case.h"

/* Warns, with the reason, of a simulated run at the largest count that has less than the program,
 * unless a part was asked for. */
void sd_partial_simulation_check(struct sd_case *c);

#endif
