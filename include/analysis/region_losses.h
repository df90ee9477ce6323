/*
 * The regions of the program for readers: what each takes and loses at every core count.
 */
#ifndef SD_REGION_LOSSES_H
#define SD_REGION_LOSSES_H

#include <stddef.h>

#include "base/status.h"
#include "base/texts.h"
#include "record/region_run.h"

/* Medians of the runs that are used; times in s. */
struct sd_region_point {
	unsigned cores;
	size_t runs;                /* in which it was entered; 0: nothing below is known */
	double entries, threads;    /* threads: in it at once, mean */
	unsigned least, most;       /* threads, or the smallest and the largest team */
	struct sd_interval elapsed; /* with a thread in it */
	/* against the reference; absent: it was not entered as often, or the work is not known */
	struct sd_interval speedup, efficiency;
	struct sd_value used; /* cores that the program had meanwhile */
	struct sd_value
		lost; /* cores of the point's N, of the whole run: more than at the reference */
	double share; /* of the time of the whole run */
	/* of OpenMP, s of the elapsed time: what the team's mean thread worked; what it would gain
	 * without the losses, which are the next; serial: before its entries */
	double ideal, gain, imbalance, lock, scheduling, barrier, serial;
	double tasks, nested, whole;
};

struct sd_region_row {
	enum sd_region_kind kind;
	char *name;                    /* owned; of OpenMP its function, file and line */
	struct sd_region_point *point; /* owned; one for each of the analysis */
	size_t n_point;
	struct sd_texts notes; /* what has to be known of it */
};

#define SD_REGION_LOSSES_ROWS 32u

/* A part of the time of a request; s a request, means over the runs. */
struct sd_slow_part {
	enum sd_request_part part;
	struct sd_interval slow, typical; /* of the slowest 1 %; of those around the median */
	struct sd_interval more;          /* slow less typical */
	double share;                     /* of all that slow ones take more */
	char *place;                      /* owned; where most of that is; NULL unknown */
};

/* Requests at one core count. */
struct sd_slow_point {
	char *name; /* owned; "2 cores: 4000 requests a run, half took less than 1.02 ms, …" */
	unsigned cores;
	size_t runs;     /* in which slow ones were compared; 0: `part` is empty */
	double requests; /* a run */
	struct sd_interval p50, p99, more; /* s; more: than typical ones the slowest took */
	double typical_s;                  /* those took */
	double known;                      /* share of `more` that is in a part with a name */
	struct sd_slow_part part[SD_REQUEST_PART_COUNT]; /* most `more` first */
	size_t n_part;
	struct sd_texts notes; /* the answer first */
};

struct sd_slow_requests {
	const char *region;          /* borrowed of the record; NULL: none is watched */
	struct sd_slow_point *point; /* owned; those with requests */
	size_t n_point;
	struct sd_texts notes;
};

struct sd_region_losses {
	struct sd_region_row *row; /* owned; most time at the largest point first */
	size_t n_row, n_seen;
	char *judged; /* owned; "region 'solve', 62 % of the time at 2 cores"; NULL: all of the runs
		       */
	struct sd_texts notes;
	struct sd_slow_requests requests;
};

void sd_region_losses_free(struct sd_region_losses *l); /* accepts the zeroed value */

#endif
