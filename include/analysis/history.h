/*
 * A program's changes from record to record: its scaling and its first cause over the commits that
 * were measured.
 */
#ifndef SD_HISTORY_H
#define SD_HISTORY_H

#include <stddef.h>

#include "analysis/analysis.h"
#include "analysis/comparison.h"
#include "record/record.h"

struct sd_history_point {
	unsigned cores;
	size_t runs;
	struct sd_interval wall, speedup, efficiency;
	double work; /* with a throughput: what the time is for; else 0 */
};

struct sd_history_row {
	char *file;                     /* owned; of the record */
	char *program;                  /* owned; the words of the command, and how it scales */
	double time;                    /* s since the epoch: of the first run; 0 unknown */
	char commit[65], branch[256];   /* "" unknown */
	char cpu[128];                  /* of the machine */
	struct sd_history_point *point; /* owned; cores rising */
	size_t n_point;
	enum sd_cause cause; /* the program's first that is confirmed, likely or possible; COUNT:
				none */
	enum sd_verdict verdict;
	struct sd_interval cores;    /* that it costs at the largest count */
	struct sd_where where;       /* strings owned; of the most of it */
	double lost[SD_CAUSE_COUNT]; /* cores that each cause costs at the largest count, as far as
					it is not ruled out; 0 else */
	/* of the time at the largest count, against the last row of the program that was measured
	 * at it on such a machine; UNKNOWN: there is none, or one run has no interval */
	enum sd_change change;
};

/*
 * From a record on a program takes another time at its largest count than in the records before,
 * all on machines of one kind: a change point of these times (compare/change_points.h), which also
 * finds changes that are smaller than the noise of single records. The kind and the count are those
 * of the program's last record; of the records like it the last SD_HISTORY_SERIES are looked at.
 */
#define SD_HISTORY_SERIES 400
struct sd_history_shift {
	const struct sd_history_row *row; /* the first record after it */
	unsigned cores;
	size_t before, since; /* records of either level */
	double ratio;         /* median time since, against before; for the same work */
	double p; /* share of random orders of the records that look as much like a change */
	enum sd_cause cause; /* whose cost, by the medians, moved most the same way; COUNT: none */
	double moved;        /* cores by which */
};

/* Zeroed is empty. */
struct sd_history {
	struct sd_history_row *row; /* owned; by program, then by time */
	size_t n;
	struct sd_history_shift *shift; /* owned; in the order of rows */
	size_t n_shift;
};

/* 0 or -ENOMEM. An analysis without points is no row. */
int sd_history_add(struct sd_history *h, const char *file, const struct sd_record *r,
	const struct sd_analysis *a);

/* All records are in: puts the rows in order, compares neighbours and looks for change points. 0 or
 * -ENOMEM. */
int sd_history_end(struct sd_history *h);

void sd_history_free(struct sd_history *h); /* accepts the zeroed value, leaves it */

#endif
