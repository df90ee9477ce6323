/*
 * The programs that run in the kernel wherever a thread of the watched processes waits for one of
 * the kernel's own locks (lock:contention_begin, lock:contention_end), is woken meanwhile
 * (sched_waking), or makes a process (sched_process_fork). They add waits up by kind of lock, by
 * the waiter's stack in the kernel and by that of whoever woke it.
 *
 * A wait that is recorded takes its thread some us while it waits, most of it for the stack. Where
 * there are more than 2000 a second of a CPU only every n-th is, and stands for those behind it.
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

/* Keys and values of the maps. A thread spins while it waits otherwise, for the lock of a queue of
 * waiters: at most one wait of either kind. */
struct sd_lock_thread {
	uint32_t tid, spins;
};
struct sd_lock_wait {
	uint64_t since, lock; /* ns; the lock's address */
	uint32_t flags;
	int32_t waiter, holder; /* stacks; below 0: none */
	uint32_t weight;        /* it stands for so many waits; 0: it is not recorded */
};
struct sd_lock_key {
	uint32_t flags;
	int32_t waiter, holder;
	uint32_t zero;
};
struct sd_lock_sum {
	uint64_t waits, ns, longest; /* weighted, but the longest */
	uint64_t recorded;           /* waits that these are of */
};
/* The pace of recording, of a CPU. */
struct sd_lock_pace {
	uint64_t until, seen; /* end of this window, ns; waits in it */
	uint64_t every, left; /* one of so many is recorded; so many are left out until the next */
};

#define SD_LOCK_CODE_WINDOW 10000000 /* ns */
#define SD_LOCK_CODE_MOST 20         /* recorded in one, but for the first of many */

struct sd_lock_maps {
	int processes; /* pid to anything: those that are watched, and then what they fork */
	int waiting;   /* struct sd_lock_thread to struct sd_lock_wait */
	int sums;      /* struct sd_lock_key to a struct sd_lock_sum of each CPU */
	int pace;      /* one struct sd_lock_pace of each CPU, at 0 */
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
};

/* 0; -EOPNOTSUPP: before Linux 5.19, which does not tell waits for locks. */
int sd_lock_kernel_find(const struct sd_kernel_types *t, struct sd_lock_kernel *out);

#define SD_LOCK_CODE 128 /* instructions, at most */

/* The program of a point. The number of instructions. */
size_t sd_lock_code(const struct sd_lock_kernel *k, enum sd_lock_point point,
	const struct sd_lock_maps *maps, struct bpf_insn code[SD_LOCK_CODE]);

#endif
