/*
 * What an instruction's bytes say that QEMU does not: whether it is locked, a call, a return,
 * repeats itself, stores past the caches, or converts. For x86-64 and aarch64; of other targets
 * nothing is known.
 */
#ifndef SIM_DECODE_H
#define SIM_DECODE_H

#include <stddef.h>
#include <stdint.h>

struct sim_decoded {
	int locked;   /* lock prefix, xchg with memory; exclusive pairs and LSE atomics */
	int modifies; /* loads, changes and stores the same bytes, once and not locked */
	int call, ret;
	int indirect; /* a jump to where a register or memory says */
	int repeats;  /* a string instruction with rep */
	int streams;  /* a non-temporal store: it writes past the caches */
	int converts; /* float to double or back */
	int64_t jump; /* always, to so many bytes from its own start; 0: it is no such jump */
};

enum sim_target { SIM_TARGET_OTHER, SIM_TARGET_X86_64, SIM_TARGET_AARCH64 };

enum sim_target sim_target_parse(const char *name); /* QEMU's name */
struct sim_decoded sim_decode(enum sim_target target, const unsigned char *byte, size_t n);

/* What the plugin must know of a system call. Those that are none of these may block. */
enum sim_call {
	SIM_CALL_BRIEF = 1,  /* returns at once: the thread stays in the window */
	SIM_CALL_ORDERS = 2, /* orders threads */
	SIM_CALL_THREAD = 4, /* made a thread, when it succeeds */
	SIM_CALL_EXIT = 8,   /* of the thread */
	SIM_CALL_EXEC = 16,
	SIM_CALL_KILL = 32,
	SIM_CALL_BRK = 64,
	SIM_CALL_SHARES = 128, /* makes somebody who runs in the same memory */
	SIM_CALL_MAP = 256,    /* of new memory: where it is, is its result; bytes second */
	SIM_CALL_UNMAP = 512,  /* address, bytes */
	SIM_CALL_ADVISE = 1024 /* address, bytes, what */
};

/* Its flags, from its number and first two arguments. */
unsigned sim_call_flags(enum sim_target target, long number, uint64_t a1, uint64_t a2);

#endif
