/*
 * The time of each loop at two points, and what its samples tell of the lines that it touches: all
 * runs of a point together.
 */
#ifndef SD_LOOP_TIMES_H
#define SD_LOOP_TIMES_H

#include "hotspots/code_places.h"
#include "record/record.h"
#include "runs/run_selection.h"

/* Whose code it is: what moves there is no data of the program's own that it could keep apart. */
enum sd_loop_owner { SD_LOOP_OWN, SD_LOOP_OF_LOCKS, SD_LOOP_OF_ALLOCATOR, SD_LOOP_OF_RUNTIME };

/* Sums over all counted runs of the judged point; s. */
struct sd_loop_sums {
	double seconds, of_false, of_true, of_lock, split, maybe, unknown, read;
	double samples;                /* as many as the time is of */
	double new_lines, new_pages;   /* of these, at most so many found one not touched before */
	double most_lines, most_pages; /* distinct ones of a run */
};

struct sd_loop_times_row {
	unsigned node;
	enum sd_loop_owner owner;
	int holds; /* in a function that takes or holds contended locks */
	struct sd_loop_sums sum;
	double cores; /* growth */
};

struct sd_loop_times {
	const struct sd_chosen *ref, *now; /* borrowed */
	struct sd_loop_times_row *row;     /* owned; ascending by node */
	size_t n;
	/* owned; [run of ref, then of now][row]: fraction of the run's capacity, and what no sample
	 * saw of its user time behind them */
	double *part;
	double seconds, samples, split; /* of all rows' sums */
};

/* 0 or -ENOMEM; *out is to be freed in every case. No row: a point was not looked at. */
int sd_loop_times_make(const struct sd_record *record, const struct sd_chosen *ref,
	const struct sd_chosen *now, const struct sd_code_places *places,
	const unsigned char *holds, struct sd_loop_times *out);
void sd_loop_times_free(struct sd_loop_times *t); /* accepts the zeroed value */

/* The row of a node; NULL: none. */
struct sd_loop_times_row *sd_loop_times_find(const struct sd_loop_times *t, unsigned node);

/* Is run j of a point counted? Typical runs are, that looked; all that looked where none is. */
int sd_loop_times_counts(const struct sd_chosen *p, size_t j);

/*
 * Cores that a weighted sum of the columns `value`[runs of ref, then of now] has more at the judged
 * point than the reference (times omega). times_*: how often each run was drawn, NULL: once each.
 */
double sd_loop_times_grown(const struct sd_loop_times *t, const double *value,
	const unsigned *times_ref, const unsigned *times_now, double time_ref, double time_now);

#endif
