/*
 * The time that a diagnosis takes without a given budget: a minute for programs of less than two
 * seconds, then longer, 100 s at five, and 14 runs' time from 20 s on; in proportion to the time
 * that one run of each count takes. Everything shares it except the minimum runs of every count,
 * which are made whatever they take.
 */
#ifndef SD_SHORT_BUDGET_H
#define SD_SHORT_BUDGET_H

#include "record/record.h"

/* s from the first run of a short program to the last; the rest is for the work before and after.
 */
#define SD_SHORT_BUDGET_S 57.0
/* Experiments together may take this many times the plain runs' time, but always these seconds. */
#define SD_EXPERIMENTS_SHARE 1.5
#define SD_EXPERIMENTS_S 20.0
/* Reserved at its end: for counting what was simulated only in part, and for a brief calibration of
 * three kernels if the node has none. */
#define SD_SHORT_BUDGET_COUNT_S 5.0
#define SD_SHORT_BUDGET_NODE_S 3.0
/* A shorter run under the software PMU seldom says anything. */
#define SD_SHORT_BUDGET_SIMULATED_S 8.0

/* s that it is for one core and two, of a program that runs so long at the first count. */
double sd_short_budget_of(double wall);

/*
 * Seconds of it left after the record's runs, including runs that were not kept but not a pause of
 * the whole measurement; never below 0. INFINITY: the plan has a budget of its own, or nobody knows
 * yet how long a run takes.
 */
double sd_short_budget_left(const struct sd_record *r);

/* Is it the minute, that of a short program? */
int sd_short_budget_is_minute(const struct sd_record *r);

/* s reserved for calibrating the node; 0 if it is calibrated. */
double sd_short_budget_node(const struct sd_record *r);

/* s reserved for neither the program's runs nor experiments. */
double sd_short_budget_kept(const struct sd_record *r);

#endif
