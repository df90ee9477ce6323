/*
 * A simulated thread after its end: its counts stay in the run, its caches and working memory go.
 */
#ifndef SIM_ENDED_THREAD_H
#define SIM_ENDED_THREAD_H

#include "threads/guest_run.h"

/* *t, of *r, has ended and all its accesses were replayed. Again: does nothing. Under the run's
 * lock. */
void sim_ended_thread_settle(struct sim_run *r, struct sim_thread *t);

#endif
