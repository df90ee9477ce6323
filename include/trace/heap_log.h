/*
 * The log of the library preloaded into a program whose contested lines are in its heap
 * (probes/cachesim/heap): one file a process, a row for each of the first blocks that its allocator
 * gave. Its readers take it for untrusted bytes.
 */
#ifndef SD_HEAP_LOG_H
#define SD_HEAP_LOG_H

#include <stdint.h>

#define SD_HEAP_LOG_MAGIC 0x31676f6c70616568ull /* "heaplog1" on a little-endian machine */
#define SD_HEAP_LOG_SUFFIX ".heap"
#define SD_HEAP_LOG_BLOCKS 8192u /* rows: writing them all takes 7 ms */
#define SD_HEAP_LOG_STACK 392u   /* bytes: two or three calls' */

/* A block, and where the call that asked for it returns to. */
struct sd_heap_block {
	uint64_t start, bytes;
	uint64_t time;       /* ns, CLOCK_MONOTONIC; 0: the row is not written yet */
	uint64_t pc, sp, fp; /* the return address; the stack and frame pointer after the return */
	uint32_t copied;     /* bytes of the stack, from sp up */
	uint32_t padding;
	unsigned char stack[SD_HEAP_LOG_STACK];
};

struct sd_heap_log {
	uint64_t magic;
	uint32_t size_of_block, pid;
	uint64_t given; /* blocks; those without a row are not all counted */
	uint64_t full;  /* ns, when the first block without a row was given; 0: all have one */
	struct sd_heap_block block[SD_HEAP_LOG_BLOCKS];
};

#endif
