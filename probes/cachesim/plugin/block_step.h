/*
 * A thread enters its next block.
 */
#ifndef SIM_STEP_H
#define SIM_STEP_H

void sim_step(unsigned vcpu, void *block); /* QEMU's callback */

#endif
