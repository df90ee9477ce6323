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

/*
 * The speedup that the algorithm of a program of OpenMP tasks allows, whatever the machine, by its
 * work and the longest chain of it (span, critical path; METHODS 6.7).
 */

/* Why there is no limit. */
#define SD_SPAN_STATES(X)                                                                         \
	X(TOLD, "told")                                                                           \
	X(NO_TASKS, "no-tasks")       /* none was seen */                                         \
	X(PROCESSES, "processes")     /* several: what they wait for of each other is not seen */ \
	X(DEPENDENCES, "dependences") /* tasks wait for others by `depend` */                     \
	X(UNFOLLOWED, "unfollowed")   /* taskloop, detached or nested tasks, another runtime */   \
	X(FEW, "few")                 /* too few tasks, or too little time */                     \
	X(VARIES, "varies")           /* tasks or work differ with the count */

enum sd_span_state {
#define X(id, name) SD_SPAN_##id,
	SD_SPAN_STATES(X)
#undef X
		SD_SPAN_STATE_COUNT
};

#define SD_SPAN_CORES(X) X(16) X(64)
enum {
#define X(n) SD_SPAN_AT_##n,
	SD_SPAN_CORES(X)
#undef X
		SD_SPAN_AT_COUNT
};
extern const unsigned sd_span_cores[SD_SPAN_AT_COUNT];

/* From the runs at one core count; medians, the intervals from the least to the largest run. */
struct sd_span_point {
	unsigned cores;
	size_t runs; /* that noted tasks; 0: nothing below is known */
	enum sd_span_state state;
	double tasks;
	/* s: CPU time of regions with tasks, and all other time; the least that any number of
	 * cores takes for both */
	struct sd_interval work, span;
	struct sd_interval parallelism; /* work over span: no speedup exceeds it */
	/* at so many cores: no schedule is faster; a greedy one is at least as fast */
	struct sd_interval limit[SD_SPAN_AT_COUNT], greedy[SD_SPAN_AT_COUNT];
};

struct sd_span_limits {
	struct sd_span_point *point; /* owned; those of the analysis with tasks */
	size_t n_point;
	enum sd_span_state state; /* of all; TOLD: those below are known */
	/* hull of the points' */
	struct sd_interval limit[SD_SPAN_AT_COUNT];
	struct sd_texts notes; /* the answer first, or why there is none */
};

struct sd_region_losses {
	struct sd_region_row *row; /* owned; most time at the largest point first */
	size_t n_row, n_seen;
	char *judged; /* owned; "region 'solve', 62 % of the time at 2 cores"; NULL: all of the runs
		       */
	struct sd_texts notes;
	struct sd_slow_requests requests;
	struct sd_span_limits span;
};

void sd_region_losses_free(struct sd_region_losses *l); /* accepts the zeroed value */

#endif
