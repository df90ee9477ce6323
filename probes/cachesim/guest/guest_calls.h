/*
 * Classifies a guest's system calls: their effect on thread order and on its memory.
 */
#ifndef SIM_GUEST_CALLS_H
#define SIM_GUEST_CALLS_H

#include <stdint.h>

#include "instruction/insn_decode.h"

/* Properties of a system call that concern the plugin. Calls without any may block. */
enum sim_call {
	SIM_CALL_BRIEF = 1,  /* returns at once: the thread stays in the window */
	SIM_CALL_ORDERS = 2, /* orders threads */
	SIM_CALL_THREAD = 4, /* creates a thread, if it succeeds */
	SIM_CALL_EXIT = 8,   /* of the thread */
	SIM_CALL_EXEC = 16,
	SIM_CALL_KILL = 32,
	SIM_CALL_BRK = 64,
	SIM_CALL_SHARES = 128,  /* creates a process or thread in the same memory */
	SIM_CALL_MAP = 256,     /* maps memory: result is the address, second argument the bytes */
	SIM_CALL_UNMAP = 512,   /* address, bytes */
	SIM_CALL_ADVISE = 1024, /* address, bytes, what */
	SIM_CALL_WAKE = 2048,   /* wakes threads that wait: result is how many */
	SIM_CALL_FUTEX =
		4096 /* waits at a word or wakes who waits there: address, operation, value */
};

/* The flags of a call, from its number and first two arguments. */
unsigned sim_call_flags(enum sd_insn_decode_machine target, long number, uint64_t a1, uint64_t a2);

#endif
