/*
 * Blocks of the program's heap and who asked for them, as a library preloaded into it has logged
 * (trace/heap_log.h).
 */
#ifndef SD_HEAP_BLOCKS_H
#define SD_HEAP_BLOCKS_H

#include "symbols/code_nodes.h"
#include "trace/heap_log.h"

#define SD_HEAP_BLOCKS_LOGS 64u /* processes of a run; of more nothing is known */

/* A zeroed one is empty. */
struct sd_heap_blocks {
	struct sd_heap_log *log[SD_HEAP_BLOCKS_LOGS]; /* owned, checked */
	size_t n;
	int full; /* a process asked for more blocks than have rows */
};

/* Makes what a log of `size` bytes says harmless: 0, or -EINVAL: it is none. Rows that were not
 * written have no bytes. */
int sd_heap_blocks_check(struct sd_heap_log *log, size_t size);

/* Reads the logs of a folder, and removes them. 0 or -ENOMEM. */
int sd_heap_blocks_read(struct sd_heap_blocks *b, const char *folder);

/* The block of a process that held an address at `time`, ns: the newest that was given there. NULL:
 * none is known. */
const struct sd_heap_block *sd_heap_blocks_at(
	const struct sd_heap_blocks *b, int pid, uint64_t address, uint64_t time);

/* The node of the code that asked for a block, with its callers; operators and containers of the
 * language, which ask for everybody, are left out. *out is 0 where it is not known. 0 or -ENOMEM.
 */
int sd_heap_blocks_site(
	const struct sd_heap_block *block, const struct sd_code_nodes *names, unsigned *out);

void sd_heap_blocks_free(struct sd_heap_blocks *b); /* leaves an empty one */

#endif
