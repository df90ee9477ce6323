/*
 * The numbers reports show beside the stack: rates and shares computed from the runs' raw values.
 */
#ifndef SD_OS_METRICS_H
#define SD_OS_METRICS_H

#include "analysis/analysis.h"
#include "runs/run_selection.h"

/*
 * Fills point->shown with every row of the table: the median over the used runs with the interval
 * of its order statistics. A row that no used run measured has the status of the first run. 0 or
 * -ENOMEM.
 */
int sd_os_metrics_fill(const struct sd_chosen *p, struct sd_point *point);

/* The median of a metric over the used runs that have it; absent if none has, or out of memory. */
struct sd_value sd_os_metrics_median(const struct sd_chosen *p, enum sd_metric metric);

/* Likewise for the metric per second of wall time. */
struct sd_value sd_os_metrics_rate(const struct sd_chosen *p, enum sd_metric metric);

/* The CPUs that the threads' own affinity lets them use, the most of the used runs; all that they
 * were given where that is not known. */
double sd_os_metrics_usable(const struct sd_chosen *p);

/* Share of the time in which more threads were ready or ran than CPUs that they may use, and how
 * many at most: mean and maximum of the runs. Absent: not seen in every run. */
struct sd_value sd_os_metrics_crowded(const struct sd_chosen *p, unsigned *most);

/* Cores whose threads were ready while others of the program had the one CPU that they are bound
 * to: mean of the runs. Absent: not seen in every run. */
struct sd_value sd_os_metrics_bound(const struct sd_chosen *p);

#endif
