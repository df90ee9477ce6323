/*
 * The threads a run keeps: those with the most CPU time.
 */
#ifndef SD_CONCURRENCY_H
#define SD_CONCURRENCY_H

#include "record/run.h"
#include "threads/thread_state.h"

/* Zeroed is empty. */
struct sd_busiest_threads {
	struct sd_thread *thread; /* owned */
	size_t n, room;
	double run_delay; /* s, of all that were added */
	uint64_t blkio;   /* clock ticks, of all threads added */
};

/* Adds a thread as last seen; above SD_RUN_THREADS drops the one with the least CPU time. 0 or
 * -ENOMEM. */
int sd_busiest_threads_add(
	struct sd_busiest_threads *list, const struct sd_thread_state *t, int has_sched);

void sd_busiest_threads_free(struct sd_busiest_threads *list); /* accepts the zeroed value */

#endif
