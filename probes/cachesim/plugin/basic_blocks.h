/*
 * Basic blocks, derived from the blocks that QEMU translates: those begin at every jump target and
 * may overlap the beginning of another one.
 */
#ifndef SIM_BASIC_H
#define SIM_BASIC_H

#include <stddef.h>
#include <stdint.h>

#include "guest/loops.h"

struct sim_basic {
	uint64_t start, end;       /* end: after its last instruction */
	double runs, instructions; /* instructions: per run */
};

/*
 * Finds up to `max` basic blocks in blocks[0..n), whose counts are summed over threads; most
 * instructions first. Returns their number; -ENOMEM.
 */
long sim_basic_find(const struct sim_block *const *blocks, const struct sim_block_count *counts,
	size_t n, struct sim_basic *out, size_t max);

#endif
