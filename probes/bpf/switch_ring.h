/*
 * Records that the kernel's side (switch_code.h) writes for a CPU: every context switch and every
 * wake-up that a thread makes, in 32 bytes each. The kernel writes `head`, `lost`, `stacks` and
 * what follows them; the reader the others.
 */
#ifndef SD_SWITCH_RING_H
#define SD_SWITCH_RING_H

#include <stdint.h>

#define SD_SWITCH_RING_RECORDS 32768u /* powers of two */
#define SD_SWITCH_RING_KNOWN 4096u

#define SD_SWITCH_WAKE 1u      /* `tid` made `to` ready; else it left the CPU, and `to` came */
#define SD_SWITCH_PREEMPTED 2u /* it left, and is still ready */
#define SD_SWITCH_INTERRUPT 4u /* an interrupt did, and not the thread it met */

struct sd_switch_record {
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	int32_t tid, pid, to, to_pid;
	/* The stack that the thread left from to wait, by its instruction and stack pointer and the
	 * first argument of its system call; 0 unknown. */
	uint32_t stack;
	uint32_t flags;
};

struct sd_switch_ring {
	uint64_t head;              /* records written */
	uint64_t lost;              /* for want of room */
	uint64_t stacks;            /* written into the ring of perf events */
	_Alignas(64) uint64_t tail; /* records read */
	uint64_t on;
	/* Those that wait at a stack not seen lately write it as long as stacks < allowed, the
	 * others as long as stacks < again. */
	uint64_t allowed, again;
	_Alignas(64) uint32_t known[SD_SWITCH_RING_KNOWN]; /* stacks seen lately */
	struct sd_switch_record record[SD_SWITCH_RING_RECORDS];
};

#endif
