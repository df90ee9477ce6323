/*
 * Numbers for a monitoring system: the OpenMetrics text format 1.0 (openmetrics.io), which
 * Prometheus and the textfile collector of its node_exporter read, too. All are gauges. What was
 * not measured has no sample.
 */
#ifndef SD_OPEN_METRICS_H
#define SD_OPEN_METRICS_H

#include "page/report_style.h"

#define SD_OPEN_METRICS_LABELS 6

struct sd_open_label {
	const char *name;  /* NULL: no more */
	const char *value; /* any bytes; NULL or "": the label is left out */
};

/* Opens a family: scalediag_NAME, or scalediag_NAME_UNIT unless `unit` is "". Its samples follow.
 */
void sd_open_metrics_family(FILE *f, const char *name, const char *unit, const char *help);

/* A sample of that family; none where the value is no number. */
void sd_open_metrics_sample(FILE *f, const char *name, const char *unit,
	const struct sd_open_label label[SD_OPEN_METRICS_LABELS], double value);

/* The last line. 0 or -EIO. */
int sd_open_metrics_end(FILE *f);

/*
 * A record's report: when it was measured; of each count time, speedup and efficiency, each with
 * the bounds of its 95 % interval, and the cores of each component; of each cause that the text
 * numbers its cores. 0, -EIO or -ENOMEM.
 */
int sd_open_metrics_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

#endif
