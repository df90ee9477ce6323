/*
 * Makes the disturbances' inputs: amounts read off the runs of a case (METHODS 4.2).
 */
#ifndef SD_MACHINE_FACTS_H
#define SD_MACHINE_FACTS_H

#include "case/case.h"
#include "ledger/disturbance.h"

/* Reads them off the two points that are compared. What no run knows is absent. 0 or -ENOMEM. */
int sd_machine_facts_make(const struct sd_case *c, struct sd_disturbance_facts *out);

/* Cores that other processes and our own measuring used, and the program could have: mean of the
 * runs. Absent where that time is not known, or rounded to clock ticks that a short run has few of.
 */
struct sd_value sd_machine_facts_others(const struct sd_chosen *p);

#endif
