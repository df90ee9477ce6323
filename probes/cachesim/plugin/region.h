/*
 * The part of the program that is simulated: all of it, from an instruction or a moment on for a
 * while, or while a function runs.
 */
#ifndef SIM_REGION_H
#define SIM_REGION_H

#include "plugin/process.h"

int sim_region_whole(void); /* all of it was asked for */

void sim_region_switch(int on); /* for every thread */

/* After a window, under the run's lock: whether the part begins or ends here. */
void sim_region_watch(struct sim_run *r);

/* The same of a thread that comes from a block to block `b`, where a function bounds the part. */
void sim_region_step(unsigned vcpu, struct sim_thread *t, const struct sim_block *before,
	const struct sim_block *b);

#endif
