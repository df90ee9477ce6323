/*
 * Places of the counters' events, for readers: functions by the samples of their events, and the
 * metrics of each.
 */
#ifndef SD_EVENT_HOTSPOTS_H
#define SD_EVENT_HOTSPOTS_H

#include <stddef.h>

#include "base/status.h"

struct sd_where;

/* A metric of the tables that says where it comes from. */
struct sd_event_metric {
	const char *name, *unit,
		*meaning; /* static, or of the tables, which outlive the analysis */
	double samples;   /* of its events, instructions left out */
	double period;    /* events from one sample to the next: the fewest */
	int precise;      /* the samples are at their events; else some instructions late (skid) */
};

/* One metric in one function. */
struct sd_event_cell {
	double samples;            /* as above */
	double share;              /* of the metric's events in the whole program */
	struct sd_interval metric; /* of the function alone, 95 %; absent: too few samples */
	int over;                  /* past its threshold there */
};

struct sd_event_row {
	struct sd_where *at;        /* owned; line: the one with most events; share: of cell[0] */
	struct sd_event_cell *cell; /* owned; n_metric of them */
};

#define SD_EVENT_HOTSPOTS_ROWS 16
#define SD_EVENT_HOTSPOTS_METRICS 16

struct sd_event_hotspots {
	unsigned cores;                 /* of the run; 0: nothing was sampled */
	const char *why;                /* of the record: what is missing; "" nothing */
	struct sd_event_metric *metric; /* owned */
	size_t n_metric;
	struct sd_event_row *row; /* owned; the most of metric[0] first */
	size_t n_row;
};

/* The function with most of the metric's events; NULL: it has none, or nobody sampled them. */
const struct sd_event_row *sd_event_hotspots_most(
	const struct sd_event_hotspots *h, const char *metric, const struct sd_event_cell **cell);

#endif
