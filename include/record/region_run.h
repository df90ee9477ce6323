/*
 * Times of a run in the regions of its program: those that it marks itself (scalediag.h), and the
 * parallel regions of OpenMP.
 */
#ifndef SD_REGION_RUN_H
#define SD_REGION_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define SD_REGION_RUN_ROWS 256u
#define SD_REGION_RUN_SPANS 131072u
#define SD_REGION_NAME 64u

#define SD_REGION_KINDS(X) X(MARKED, "marked") X(OPENMP, "openmp")

enum sd_region_kind {
#define X(id, name) SD_REGION_##id,
	SD_REGION_KINDS(X)
#undef X
		SD_REGION_KIND_COUNT
};

/* Sums over all processes; times in s. */
struct sd_region_time {
	enum sd_region_kind kind;
	char name[SD_REGION_NAME]; /* of a marked one */
	unsigned node;             /* code of an OpenMP one, in the record's stacks; 0 unknown */
	unsigned processes;
	unsigned least, most; /* threads: of a marked one at once; the smallest and largest team */
	double entries;
	double elapsed;      /* with a thread in it; of several processes the longest */
	double thread_s;     /* of its threads, summed */
	struct sd_value cpu; /* CPU-s of the processes meanwhile, with all of their threads */
	double unmatched;    /* begins and ends without each other */
	double unended;      /* processes that ended in it */
	/* of OpenMP: thread-seconds of thread_s that were no work; the rest was */
	double imbalance, lock, scheduling, barrier;
	double serial; /* s before its entries in which no region of the process was open */
	double nested; /* entries from inside another region */
	double tasks;  /* made in it */
	double whole;  /* entries whose waits could not be divided: they are work here */
};

struct sd_region_span {
	uint64_t from, to; /* CLOCK_MONOTONIC, ns */
};

struct sd_region_run {
	struct sd_region_time *row; /* owned; most time first */
	size_t n_row;
	double no_row, too_deep;     /* entries that are in no row */
	double calls;                /* of OpenMP's runtime, as omp_log.h counts them */
	char judged[SD_REGION_NAME]; /* the region that is judged alone; "" the whole program */
	double judged_s;             /* with a thread of any process in it */
	/* owned; when that was, ascending. None: it was entered too often, or nobody asks any more
	 */
	struct sd_region_span *span;
	size_t n_span;
};

/* The row of a region, made when there is none; NULL: no memory, or none left (`no_row` counts). */
struct sd_region_time *sd_region_run_row(
	struct sd_region_run *r, enum sd_region_kind kind, const char *name, unsigned node);

const struct sd_region_time *sd_region_run_find(
	const struct sd_region_run *r, enum sd_region_kind kind, const char *name, unsigned node);

/* Most time first. */
void sd_region_run_sort(struct sd_region_run *r);

void sd_region_run_free(struct sd_region_run *r); /* frees what it owns and *r; accepts NULL */

#endif
