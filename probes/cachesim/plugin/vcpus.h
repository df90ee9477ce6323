/*
 * The running threads, by QEMU's number, which is reused after a thread has ended.
 */
#ifndef SIM_VCPU_H
#define SIM_VCPU_H

#include "plugin/process.h"

static inline struct sim_thread *sim_vcpu_thread(unsigned vcpu)
{
	return vcpu < SIM_VCPUS ? sim_process.vcpu[vcpu].thread : NULL;
}

/* A thread's first block; NULL when there is no room for it. */
struct sim_thread *sim_vcpu_begin(unsigned vcpu);
void sim_vcpu_end(unsigned vcpu);

/* Opens or closes the short ways, after anything that matters to that has changed. */
void sim_vcpu_aim(unsigned vcpu, struct sim_thread *t);

void sim_vcpu_none(void); /* nobody runs */

#endif
