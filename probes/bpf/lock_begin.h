/*
 * The program that runs where a thread begins to wait for a lock of the kernel: which waits are
 * timed, and of which a stack is taken.
 */
#ifndef SD_LOCK_BEGIN_H
#define SD_LOCK_BEGIN_H

#include "bpf/bpf_assembler.h"
#include "bpf/lock_code.h"

/* Assembles it into *c, which is empty. */
void sd_lock_begin_code(
	struct code *c, const struct sd_lock_kernel *k, const struct sd_lock_maps *maps);

#endif
