/*
 * Sampled lines as a record holds them: with the names of data and code.
 */
#ifndef SD_MEMNAMES_H
#define SD_MEMNAMES_H

#include "memory/line_table.h"
#include "record/memory_sampled.h"
#include "record/stacks.h"
#include "symbols/symbols.h"

/* Fills the lists and sums of *out, which is zeroed; `m` is sorted by it. 0 or -ENOMEM; what is in
 * *out is its owner's in both cases. */
int sd_memnames_fill(struct sd_memlines *m, struct sd_symbols *symbols, struct sd_stacks *stacks,
	struct sd_memsampled *out);

#endif
