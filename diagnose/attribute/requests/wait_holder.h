/*
 * The code that a thread's wait for a lock was for: what its holder did meanwhile.
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

#endif
