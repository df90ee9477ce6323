/*
 * The blocks of code that QEMU translated, each kept for good: QEMU forgets translations and makes
 * them anew, but counts and call paths refer to a block by its number.
 */
#ifndef SD_BLOCKS_H
#define SD_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "plugin/qemu_plugin.h"
#include "instruction/insn_decode.h"
#include "threads/guest_run.h"

#define SIM_BLOCK_CHAINS 65536

struct sim_blocks {
	enum sd_insn_decode_machine target;
	const char *function;         /* whose blocks are marked as the region; "": none */
	uint64_t heap_low, heap_high; /* code of our own library in the program, not simulated */
	struct sim_block_link {
		struct sim_block_link *next;
		struct sim_block *block;
		uint64_t bytes; /* hash of its code: a page may be written and run again */
	} * known[SIM_BLOCK_CHAINS];
};

/*
 * The block of the same n instructions at the same place, known from before or new and then in
 * r->block. NULL: out of memory. Under the run's block_lock.
 */
struct sim_block *sim_block_of(
	struct sim_blocks *k, struct sim_run *r, const struct qemu_plugin_tb *tb, size_t n);

#endif
