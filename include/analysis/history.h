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
	struct sd_interval cores; /* that it costs at the largest count */
	struct sd_where where;    /* strings owned; of the most of it */
	/* of the time at the largest count, against the last row of the program that was measured
	 * at it on such a machine; UNKNOWN: there is none, or one run has no interval */
	enum sd_change change;
};

/* Zeroed is empty. */
struct sd_history {
	struct sd_history_row *row; /* owned; by program, then by time */
	size_t n;
};

/* 0 or -ENOMEM. An analysis without points is no row. */
int sd_history_add(struct sd_history *h, const char *file, const struct sd_record *r,
	const struct sd_analysis *a);

/* All records are in: puts the rows in order and compares neighbours. */
void sd_history_end(struct sd_history *h);

void sd_history_free(struct sd_history *h); /* accepts the zeroed value, leaves it */

#endif
