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
	/* CPU-s of entries in which tasks were made and followed: of all threads; along the longest
	 * chain of tasks and of what one thread does alone; along the longest of threads' parts of
	 * loops, which more threads divide further */
	double task_work, task_span, loop_span;
	double dependent; /* entries with tasks that wait for others by `depend` */
	double unspanned; /* entries with tasks whose chain is not seen for another reason */
};

struct sd_region_span {
	uint64_t from, to; /* CLOCK_MONOTONIC, ns */
};

/*
 * Requests: the entries of one marked region, and what the slowest of them took time for that
 * typical ones did not (METHODS 2.5).
 */

/* Fewer requests with recorded switches than this are not compared. */
#define SD_REQUESTS_LEAST 100u

/*
 * The time of a request by what its thread did. THROTTLED is taken out of RUN_QUEUE: no thread of
 * the program was on a CPU, in a run whose quota was used up. COLLECTOR is taken out of the others
 * by the functions on the stack. UNKNOWN: its switches were not recorded, or the reason of a wait
 * is not known.
 */
#define SD_REQUEST_PARTS(X)                                \
	/* id         name in records  label */            \
	X(WORK, "work", "code of its own")                 \
	X(SPIN, "spin", "spinning")                        \
	X(FAULT, "page-fault", "page faults and mappings") \
	X(KERNEL, "kernel", "other kernel time")           \
	X(COLLECTOR, "collector", "garbage collector")     \
	X(LOCK, "lock", "waiting for a lock")              \
	X(SYNC, "sync", "waiting for other threads")       \
	X(DISK, "disk", "waiting for the disk")            \
	X(IO, "io", "waiting for pipes, sockets")          \
	X(SLEEP, "sleep", "timed sleep")                   \
	X(RUN_QUEUE, "run-queue", "ready, without a CPU")  \
	X(THROTTLED, "throttled", "CPU quota used up")     \
	X(UNKNOWN, "unknown", "not known")

enum sd_request_part {
#define X(id, name, label) SD_REQUEST_##id,
	SD_REQUEST_PARTS(X)
#undef X
		SD_REQUEST_PART_COUNT
};

struct sd_request_part_info {
	const char *name, *label;
};
extern const struct sd_request_part_info sd_request_part_info[SD_REQUEST_PART_COUNT];

/* Why there is no comparison. */
#define SD_REQUEST_STATES(X)                                                  \
	X(COMPARED, "compared")                                               \
	X(UNSWITCHED, "no-switches") /* context switches were not recorded */ \
	X(FEW, "few")                /* fewer than SD_REQUESTS_LEAST of which they were */

enum sd_request_state {
#define X(id, name) SD_REQUESTS_##id,
	SD_REQUEST_STATES(X)
#undef X
		SD_REQUESTS_STATE_COUNT
};

/* Means over its requests, s a request. */
struct sd_request_group {
	double requests;
	double took;
	double part[SD_REQUEST_PART_COUNT];
};

/* The slowest 1 %, at least 5; and from the 40th to the 60th percentile. */
enum sd_request_speed { SD_REQUESTS_SLOW, SD_REQUESTS_TYPICAL, SD_REQUESTS_SPEED_COUNT };

/* A place of that; of a wait for a lock also what its holder did meanwhile. */
struct sd_request_place {
	enum sd_request_part part;
	unsigned node;   /* of the record's stacks; 0 unknown */
	unsigned lock;   /* text of the stacks: what it waited for; 0 none, or unknown */
	unsigned holder; /* node: of the thread that ended the wait, where it was longest; 0 unknown
			  */
	double s[SD_REQUESTS_SPEED_COUNT]; /* a request, in the mean of its group */
};

#define SD_REQUEST_PLACES 24u

struct sd_request_run {
	enum sd_request_state state;
	char name[64];   /* of the region */
	double entries;  /* whose times are known */
	double beyond;   /* further ones, at the end of the run: there was no room for more */
	double unseen;   /* those of threads whose switches are not known */
	double p50, p99; /* s, of the entries */
	struct sd_request_group group[SD_REQUESTS_SPEED_COUNT];
	/* most time in slow ones first; those behind the last have none */
	struct sd_request_place place[SD_REQUEST_PLACES];
};

/* An entry as the program noted it. */
struct sd_request_entry {
	uint64_t from, to; /* CLOCK_MONOTONIC, ns */
	int tid;
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
	struct sd_request_entry
		*entry; /* owned; of the watched region, until the run is accounted */
	size_t n_entry;
	struct sd_request_run *requests; /* owned; NULL: no region is watched */
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
