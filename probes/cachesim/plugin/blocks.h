/*
 * All blocks of code that QEMU ever translated. QEMU discards translations and redoes them; counts
 * and call paths refer to a block by a permanent number.
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
	const char *function; /* function that bounds the region: its blocks are marked; "": none */
	uint64_t heap_low, heap_high; /* code of our preloaded library, not simulated */
	struct sim_block_link {
		struct sim_block_link *next;
		struct sim_block *block;
		uint64_t bytes; /* hash of its code: a page may be overwritten with new code */
	} * known[SIM_BLOCK_CHAINS];
};

/*
 * The block with these n instructions at this address; a new one is added to r->block. NULL: out of
 * memory. Caller holds the run's block_lock.
 */
struct sim_block *sim_block_of(
	struct sim_blocks *k, struct sim_run *r, const struct qemu_plugin_tb *tb, size_t n);

#endif
