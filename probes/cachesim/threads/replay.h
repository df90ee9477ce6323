/*
 * Replays the logs of the threads, merged by their clocks. Caller holds the run's lock.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <stdint.h>

#include "threads/guest_run.h"

/* Everything logged before `until`. */
void sim_replay(struct sim_run *r, uint64_t until);

/* Time, in cycles, of the thread's next event; UINT64_MAX none. */
uint64_t sim_replay_next(const struct sim_thread *t);

#endif
