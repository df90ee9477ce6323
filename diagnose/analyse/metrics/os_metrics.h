/*
 * The numbers a report shows beside the stack: rates and shares made from the runs' raw values.
 */
#ifndef SD_OS_METRICS_H
#define SD_OS_METRICS_H

#include "analysis/analysis.h"
#include "runs/run_selection.h"

/*
 * Fills point->shown with every row of the table: median over the used runs, with the interval of
 * its order statistics. A row that no used run could measure is there with the status of the first
 * run. 0 or -ENOMEM.
 */
int sd_os_metrics_fill(const struct sd_chosen *p, struct sd_point *point);

/* The median of a metric over the used runs that have it; absent when none has. -ENOMEM reads as
 * absent. */
struct sd_value sd_os_metrics_median(const struct sd_chosen *p, enum sd_metric metric);

/* The same of the metric per second of wall time. */
struct sd_value sd_os_metrics_rate(const struct sd_chosen *p, enum sd_metric metric);

#endif
