/*
 * Handles the program's system calls: they may take a thread out of the window, order it with
 * others, end or replace the program; and those with which the preloaded library reports the heap
 * (heap_call.h).
 */
#ifndef SIM_CALLS_H
#define SIM_CALLS_H

#include <stdint.h>

/* QEMU's callbacks. */
void sim_syscalls_enter(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
	uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
void sim_syscalls_return(uint64_t id, unsigned vcpu, int64_t number, int64_t ret);

#endif
