/*
 * The code that a thread's wait was for: what the lock's holder did meanwhile, or who had the CPU.
 */
#ifndef SD_WAIT_HOLDER_H
#define SD_WAIT_HOLDER_H

#include "analysis/thread_lanes.h"
#include "trace/timeline.h"

/*
 * The thread that ended the wait of `lane` was longest at this node meanwhile. Of waiters that hand
 * a lock on from one to the next it is that of the first holder. `run`: the lanes of `t`; times are
 * ns since the run's start. 0: it is not known who ended the wait, or what he did.
 */
unsigned sd_wait_holder_node(const struct sd_timeline *t, const struct sd_thread_lanes_run *run,
	const struct sd_thread_lanes_thread *lane, uint64_t from, uint64_t to);

/* The thread of the program that left the CPU which `lane` got at the end of its wait for one ran
 * at this node meanwhile. 0: it was none of the program's, or it is not known what it ran. */
unsigned sd_wait_holder_runner(const struct sd_timeline *t, const struct sd_thread_lanes_run *run,
	const struct sd_thread_lanes_thread *lane, uint64_t from, uint64_t to);

#endif
