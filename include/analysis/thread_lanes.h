/*
 * Timeline of each thread of a run: a lane a thread, of spans that do not overlap, and the samples
 * that were taken meanwhile. Only where the raw samples were kept.
 */
#ifndef SD_THREAD_LANES_H
#define SD_THREAD_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "record/sampled.h"

/* On a CPU, and no sample says what it did there: the activity of such a span. */
#define SD_THREAD_LANES_ON_CPU SD_ACTIVITY_COUNT

/* All times are ns since the run's start. */
struct sd_thread_lanes_span {
	uint64_t from, to;
	enum sd_activity activity; /* or SD_THREAD_LANES_ON_CPU */
	unsigned node;   /* of the record's stacks: where it waits; 0 unknown, or it ran */
	unsigned lock;   /* text of the stacks: what it waits for; 0 unknown */
	unsigned merged; /* shorter spans that became this one; 1: it is one */
};

struct sd_thread_lanes_sample {
	uint64_t from, to;     /* it stands for this time, in which the thread was on a CPU */
	uint64_t time, weight; /* when it was taken; ns of running between two */
	unsigned node;
	enum sd_activity activity;
};

struct sd_thread_lanes_thread {
	int pid, tid;
	char name[16];                     /* any bytes */
	struct sd_thread_lanes_span *span; /* owned; in the order of time */
	size_t n_span;
	struct sd_thread_lanes_sample *sample; /* owned; in the order of time */
	size_t n_sample;
};

/* Most spans of a run: with more, the shortest neighbours are drawn as one. */
#define SD_THREAD_LANES_SPANS 100000u

struct sd_thread_lanes_run {
	size_t run; /* of the record */
	unsigned cores;
	uint64_t length; /* ns */
	uint64_t finest; /* ns: spans shorter than this are merged with such neighbours; 0 none */
	struct sd_thread_lanes_thread *thread; /* owned */
	size_t n;
	/* times in which switches were not recorded: no lane has a span there */
	struct sd_thread_lanes_gap {
		uint64_t from, to;
	} * gap; /* owned */
	size_t n_gap;
};

struct sd_thread_lanes {
	struct sd_thread_lanes_run *run; /* owned; cores rising */
	size_t n;
};

void sd_thread_lanes_run_free(
	struct sd_thread_lanes_run *r);               /* accepts the zeroed value, leaves it */
void sd_thread_lanes_free(struct sd_thread_lanes *l); /* the same */

#endif
