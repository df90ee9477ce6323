/*
 * The threads a run keeps: those with the most CPU time.
 */
#ifndef SD_CONCURRENCY_H
#define SD_CONCURRENCY_H

#include "record/run.h"
#include "threads/pipe_stages.h"
#include "threads/thread_state.h"

/* Zeroed is empty. */
struct sd_busiest_threads {
	struct sd_thread *thread; /* owned */
	size_t n;
	double run_delay; /* s, of all that were added */
	uint64_t blkio;   /* clock ticks, of all threads added */
};

/* Adds a thread as last seen; above SD_RUN_THREADS drops the one with the least CPU time. 0 or
 * -ENOMEM. */
int sd_busiest_threads_add(
	struct sd_busiest_threads *list, const struct sd_thread_state *t, int has_sched);

/* All have been added: the one with most CPU time first, each with its process's stage. */
void sd_busiest_threads_finish(
	struct sd_busiest_threads *list, const struct sd_pipe_stages *stages);

/*
 * Block-I/O wait by delay accounting: a field of every thread, filled only while the kernel is told
 * to (off by default since Linux 5.14; before, without this switch, only the values tell).
 */
struct sd_value sd_busiest_threads_blkio(const struct sd_busiest_threads *list, const char *root);

void sd_busiest_threads_free(struct sd_busiest_threads *list); /* accepts the zeroed value */

#endif
