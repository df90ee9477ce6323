/*
 * A thread enters its next block.
 */
#ifndef SIM_STEP_H
#define SIM_STEP_H

/* QEMU's callbacks: to simulate it; to count it while the model rests; only to count its
 * instructions. */
void sim_step(unsigned vcpu, void *block);
void sim_step_rest(unsigned vcpu, void *block);
void sim_step_pass(unsigned vcpu, void *block);

#endif
