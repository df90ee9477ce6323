/*
 * How many stacks of waits the programs in the kernel may write (bpf/switch_ring.h).
 */
#ifndef SD_PROGRAM_STACKS_H
#define SD_PROGRAM_STACKS_H

#include "trace/cpu_recorder.h"

/* Both of a recorder with `switches`: before they are switched on, without anything of an earlier
 * run; and at each look at its ring, which also tells the rate of switches. */
void sd_program_stacks_start(struct sd_cpu_recorder *r);
void sd_program_stacks_pace(struct sd_cpu_recorder *r, uint64_t now_ns);

#endif
