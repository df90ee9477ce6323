/*
 * Converts sampled lines to the record's format, with names of data and code.
 */
#ifndef SD_LINE_NAMES_H
#define SD_LINE_NAMES_H

#include "memory/line_table.h"
#include "record/memory_sampled.h"
#include "record/stacks.h"
#include "symbols/symbols.h"

/* Fills the lists and sums of *out, which must be zeroed; sorts `m`. 0 or -ENOMEM; the caller owns
 * *out in both cases. */
int sd_line_names_fill(struct sd_line_table *m, struct sd_symbols *symbols,
	struct sd_stacks *stacks, struct sd_memory_sampled *out);

#endif
