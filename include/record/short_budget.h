/*
 * The minute: what a diagnosis of a short program takes that nobody gave a budget. Everything that
 * is not owed whatever it takes (the least runs of every count) shares it.
 */
#ifndef SD_SHORT_BUDGET_H
#define SD_SHORT_BUDGET_H

#include "record/record.h"

/* s from the first run to the last: before and after it are some for what makes no run. */
#define SD_SHORT_BUDGET_S 57.0
/* Of it, the last: counting all that was simulated in part, and what the node can do (a calibration
 * of three kernels in quick mode), where that is not known yet. */
#define SD_SHORT_BUDGET_COUNT_S 5.0
#define SD_SHORT_BUDGET_NODE_S 10.0
/* A run under the software PMU that is ended sooner seldom says anything. */
#define SD_SHORT_BUDGET_SIMULATED_S 8.0

/*
 * Seconds of the minute that the runs of the record have left, those that were made and not kept
 * among them, a pause of the whole measurement not; never below 0. INFINITY where there is no
 * minute: the plan has a budget, or the program takes longer than two seconds at the first point.
 */
double sd_short_budget_left(const struct sd_record *r);

/* s of it for what the node can do; 0 where that is known. */
double sd_short_budget_node(const struct sd_record *r);

/* s of it that are for neither the program's runs nor experiments. */
double sd_short_budget_kept(const struct sd_record *r);

#endif
