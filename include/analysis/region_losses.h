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

struct sd_region_losses {
	struct sd_region_row *row; /* owned; most time at the largest point first */
	size_t n_row, n_seen;
	char *judged; /* owned; "region 'solve', 62 % of the time at 2 cores"; NULL: all of the runs
		       */
	struct sd_texts notes;
};

void sd_region_losses_free(struct sd_region_losses *l); /* accepts the zeroed value */

#endif
