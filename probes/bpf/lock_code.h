/*
 * The programs that run in the kernel wherever a thread of the watched processes waits for one of
 * the kernel's own locks (lock:contention_begin, lock:contention_end), is woken meanwhile
 * (sched_waking), or makes a process (sched_process_fork). They time waits, and add them up by kind
 * of lock, by the waiter's system call and by that of whoever woke it.
 *
 * Timing one takes .2 us. Where there are more than 30,000 a second of a CPU, only every n-th is
 * timed, and stands for those behind it.
 *
 * Stacks take some us each, while the thread waits: they are taken of 1000 waits a second and CPU
 * at most, whose sums are apart, by the stacks as well.
 */
#ifndef SD_LOCK_CODE_H
#define SD_LOCK_CODE_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/kernel_types.h"

/* How it waited: the kernel's LCB_F_..., and SLEPT: not by spinning alone. */
#define SD_LOCK_CODE_SPIN 1u
#define SD_LOCK_CODE_READ 2u
#define SD_LOCK_CODE_WRITE 4u
#define SD_LOCK_CODE_RT 8u
#define SD_LOCK_CODE_PERCPU 16u
#define SD_LOCK_CODE_MUTEX 32u
#define SD_LOCK_CODE_SLEPT 256u

/* Keys and values of the maps. */
struct sd_lock_wait {
	uint64_t since, lock; /* ns; the lock's address, 0: over */
	uint32_t flags;
	uint32_t call, held; /* system calls' numbers and 1, of the waiter and of whoever woke it;
				0: nobody */
	int32_t waiter, holder; /* stacks; below 0: none */
	uint32_t weight;        /* it stands for so many waits */
};
/* A CPU's. */
struct sd_lock_cpu {
	struct sd_lock_wait spinning; /* of the thread that runs there */
	uint64_t next;                /* no stack before this time, ns */
	uint64_t until, seen;         /* end of this window, ns; waits in it */
	uint64_t every, left;   /* so many are left out on average; so many are until the next */
	uint64_t skipped;       /* lock and thread of the last that was left out, added up */
	uint64_t lost, all;     /* waits that there was no room for, and all others */
	uint32_t watched, zero; /* a process that is; 0: none yet */
};
struct sd_lock_key {
	uint16_t flags, call, held;
	uint16_t lock; /* of its address as many bits as tell busy ones apart, seldom two alike */
	int32_t waiter, holder;
};
struct sd_lock_sum {
	uint64_t waits, ns, longest; /* weighted, but the longest */
	uint64_t timed;              /* waits that these are of */
};

#define SD_LOCK_CODE_PACE                                                                          \
	(1 << 20)                    /* ns between stacks of a CPU, at least; on average half more \
				      */
#define SD_LOCK_CODE_WINDOW 10000000 /* ns */
#define SD_LOCK_CODE_MOST 300        /* timed in one, but for the first of many */
#define SD_LOCK_CODE_LOCK_BITS 7
#define SD_LOCK_CODE_SPREAD \
	0x61c88647 /* to multiply an address with: all bits reach the top ones */

struct sd_lock_maps {
	int processes; /* pid to anything: those that are watched, and then what they fork */
	int waiting;   /* tid to the struct sd_lock_wait that sleeps or did so last */
	int sums;      /* struct sd_lock_key to a struct sd_lock_sum of each CPU */
	int cpu;       /* one struct sd_lock_cpu of each CPU, at 0 */
	int stacks;    /* by number */
};

enum sd_lock_point {
	SD_LOCK_POINT_BEGIN,
	SD_LOCK_POINT_END,
	SD_LOCK_POINT_WAKING,
	SD_LOCK_POINT_FORK,
	SD_LOCK_POINTS
};

/* Facts about a kernel that the code must know. */
struct sd_lock_kernel {
	uint32_t point[SD_LOCK_POINTS]; /* types of the tracepoints' functions */
	uint32_t pid, tgid;             /* offsets in struct task_struct */
	uint32_t call;                  /* in struct pt_regs */
};

/* 0; -EOPNOTSUPP: before Linux 5.19, which does not tell waits for locks. */
int sd_lock_kernel_find(const struct sd_kernel_types *t, struct sd_lock_kernel *out);

#define SD_LOCK_CODE 192 /* instructions, at most */

/* The program of a point. The number of instructions. */
size_t sd_lock_code(const struct sd_lock_kernel *k, enum sd_lock_point point,
	const struct sd_lock_maps *maps, struct bpf_insn code[SD_LOCK_CODE]);

#endif
