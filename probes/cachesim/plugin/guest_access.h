/*
 * An access to memory as QEMU tells it: tried the short way, and what that does not take is passed
 * on to the thread.
 */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include <stdint.h>

/* Of an instruction that loads and stores, which is told: QEMU 7.2 takes this for stores only
 * (op_rw() of its accel/tcg/plugin-gen.c is off by one), a later one for loads only. */
#define SIM_ACCESS_ONCE QEMU_PLUGIN_MEM_R

/* QEMU's callbacks; ins: a struct sim_ins. */
void sim_access(unsigned vcpu, uint32_t info, uint64_t address, void *ins);

/* The load and the store of an instruction, told once (SIM_ACCESS_ONCE). */
void sim_access_modify(unsigned vcpu, uint32_t info, uint64_t address, void *ins);

/* Of an instruction that must always be asked about. */
void sim_access_asked(unsigned vcpu, uint32_t info, uint64_t address, void *ins);

#endif
