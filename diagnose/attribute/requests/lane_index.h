/*
 * A run's lanes by the number of their thread, and what lies at a time of one.
 */
#ifndef SD_LANE_INDEX_H
#define SD_LANE_INDEX_H

#include "analysis/thread_lanes.h"

struct sd_lane_index {
	const struct sd_thread_lanes_thread **lane; /* owned; those with spans, by their tid */
	size_t n;
};

/* 0 or -ENOMEM. The index is to be freed in every case. */
int sd_lane_index_make(struct sd_lane_index *x, const struct sd_thread_lanes_run *run);
void sd_lane_index_free(struct sd_lane_index *x); /* accepts the zeroed value */

/* Times are ns since the run's start. The lane of the thread that had this number then; NULL:
 * nothing is known of what it did. */
const struct sd_thread_lanes_thread *sd_lane_index_find(
	const struct sd_lane_index *x, int tid, uint64_t from, uint64_t to);

/* The first span that ends behind a time, and the first sample at it or behind; else their number.
 */
size_t sd_lane_index_span(const struct sd_thread_lanes_thread *t, uint64_t time);
size_t sd_lane_index_sample(const struct sd_thread_lanes_thread *t, uint64_t time);

int sd_lane_index_waits(const struct sd_thread_lanes_span *s);

/* Share of a time, as sixteen moments of it tell, in which no thread was on a CPU. */
double sd_lane_index_idle(const struct sd_lane_index *x, uint64_t from, uint64_t to);

#endif
