/*
 * The replay of what threads have logged, merged by their clocks. Under the run's lock.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <stdint.h>

#include "threads/guest_run.h"

/* Everything logged before `until`. */
void sim_replay(struct sim_run *r, uint64_t until);

/* When, in cycles, the thread's next event is; UINT64_MAX none. */
uint64_t sim_replay_next(const struct sim_thread *t);

#endif
