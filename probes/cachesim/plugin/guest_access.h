/*
 * Handles a memory access reported by QEMU: on the fast path if possible, otherwise by the thread.
 */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include <stdint.h>

/* For an instruction that loads and stores: report only one of the two. QEMU 7.2 reports the store
 * (op_rw() in its accel/tcg/plugin-gen.c is off by one), later versions the load. */
#define SIM_ACCESS_ONCE QEMU_PLUGIN_MEM_R

/* QEMU's callbacks; ins: a struct sim_ins. */
void sim_access(unsigned vcpu, uint32_t info, uint64_t address, void *ins);

/* The load and store of an instruction, reported once (SIM_ACCESS_ONCE). */
void sim_access_modify(unsigned vcpu, uint32_t info, uint64_t address, void *ins);

/* For an instruction whose accesses must always take the slow path. */
void sim_access_asked(unsigned vcpu, uint32_t info, uint64_t address, void *ins);

#endif
