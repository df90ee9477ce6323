/*
 * The programs that run in the kernel at every context switch and wake-up, and write what happened
 * into the ring of their CPU (switch_ring.h): the kernel's own records of both take two to three
 * times as long. They are assembled here for the kernel that runs, so that nothing but bpf(2) is
 * needed.
 */
#ifndef SD_SWITCH_CODE_H
#define SD_SWITCH_CODE_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/kernel_types.h"

/* Facts about a kernel that the code must know. */
struct sd_switch_kernel {
	uint32_t switching, waking;             /* types of the tracepoints' functions */
	unsigned preempt, before, after, state; /* numbers of the parameters of `switching` */
	uint32_t pid, tgid, mm;                 /* offsets in struct task_struct */
	uint32_t ip, sp, argument;              /* in struct pt_regs */
};

/* 0; -EOPNOTSUPP: before Linux 5.18, which does not say in what state a thread leaves, or another
 * machine's registers. */
int sd_switch_kernel_find(const struct sd_kernel_types *t, struct sd_switch_kernel *out);

#define SD_SWITCH_CODE 192 /* instructions, at most */

/* `rings`: the map of each CPU's ring; `stacks`: that of the events that write a stack. The number
 * of instructions. */
size_t sd_switch_code(const struct sd_switch_kernel *k, int rings, int stacks,
	struct bpf_insn code[SD_SWITCH_CODE]);
size_t sd_switch_code_waking(
	const struct sd_switch_kernel *k, int rings, struct bpf_insn code[SD_SWITCH_CODE]);

#endif
