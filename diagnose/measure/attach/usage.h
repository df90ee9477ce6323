/*
 * CPU use of a running program's processes, by /proc: read before and after a window, the
 * difference is the window's.
 */
#ifndef SD_USAGE_H
#define SD_USAGE_H

#include "attach/attached.h"
#include "record/run.h"

struct sd_usage_task;

/* Zeroed is empty. */
struct sd_usage {
	struct sd_usage_task *process, *thread; /* owned; by number, rising */
	size_t n_process, n_thread;
	int io_denied;
};

/* Reads all processes of *a and their threads. 0 or -ENOMEM. */
int sd_usage_read(struct sd_usage *u, const struct sd_attached *a);

/*
 * Fills in what no probe measured: user and system CPU time (in clock ticks, with children that
 * were waited for), context switches (of threads that lived at the end), bytes of block I/O. A
 * process that ended in the window counts up to the start of it, unless its parent waited for it.
 */
void sd_usage_give(const struct sd_usage *before, const struct sd_usage *after, struct sd_run *run);

void sd_usage_free(struct sd_usage *u); /* accepts the zeroed value */

#endif
