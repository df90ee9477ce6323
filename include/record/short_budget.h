/*
 * The minute: the time a diagnosis of a short program takes without a given budget. Everything
 * shares it except the minimum runs of every count, which are made whatever they take.
 */
#ifndef SD_SHORT_BUDGET_H
#define SD_SHORT_BUDGET_H

#include "record/record.h"

/* s from the first run to the last; the remaining seconds are for the work before and after. */
#define SD_SHORT_BUDGET_S 57.0
/* Experiments together may take this many times the plain runs' time, but always these seconds. */
#define SD_EXPERIMENTS_SHARE 1.5
#define SD_EXPERIMENTS_S 20.0
/* Reserved at its end: for counting what was simulated only in part, and for a quick calibration of
 * three kernels if the node has none. */
#define SD_SHORT_BUDGET_COUNT_S 5.0
#define SD_SHORT_BUDGET_NODE_S 10.0
/* A shorter run under the software PMU seldom says anything. */
#define SD_SHORT_BUDGET_SIMULATED_S 8.0

/*
 * Seconds of the minute left after the record's runs, including runs that were not kept but not a
 * pause of the whole measurement; never below 0. INFINITY if no minute applies: the plan has a
 * budget, or the program takes longer than two seconds at the first point.
 */
double sd_short_budget_left(const struct sd_record *r);

/* s reserved for calibrating the node; 0 if it is calibrated. */
double sd_short_budget_node(const struct sd_record *r);

/* s reserved for neither the program's runs nor experiments. */
double sd_short_budget_kept(const struct sd_record *r);

#endif
