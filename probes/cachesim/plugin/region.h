/*
 * The simulated part of the program: all of it, a range of instructions or of time, or while a
 * function runs.
 */
#ifndef SIM_REGION_H
#define SIM_REGION_H

#include "plugin/process.h"

int sim_region_whole(void); /* is the whole program to be simulated? */

/* The mode in which code is translated at the beginning. */
enum sim_mode sim_region_mode(void);

void sim_region_switch(int on); /* for every thread */

/* The run has ended; under its lock. */
void sim_region_finish(const struct sim_run *r);

/* A part begins, where the model rested before; under the run's lock. */
void sim_region_part(const struct sim_run *r);

/* After each window: starts or ends the part if due. Caller holds the run's lock. */
void sim_region_watch(struct sim_run *r);

/* The same for a thread that goes from block `before` to `b`, if a function bounds the part. */
void sim_region_step(unsigned vcpu, struct sim_thread *t, const struct sim_block *before,
	const struct sim_block *b);

#endif
