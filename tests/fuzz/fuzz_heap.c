/*
 * The log of a program's heap, of any bytes: no block that it is said to have goes beyond what
 * there is, and none is found where it is not.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "native/heap_blocks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sd_heap_log log;
	const size_t head = offsetof(struct sd_heap_log, block);
	static size_t before; /* bytes that the last input has written */
	const struct sd_heap_blocks all = {.log = {&log}, .n = 1};

	size = size < sizeof log ? size : sizeof log;
	memset(&log, 0, before);
	memcpy(&log, data, size);
	before = size > head ? size : head;
	if (sd_heap_blocks_check(&log, sizeof log))
		return 0;
	for (uint64_t i = 0; i < log.given && i < 64; i++) {
		const struct sd_heap_block *const row = &log.block[i];
		const struct sd_heap_block *const b =
			sd_heap_blocks_at(&all, (int)log.pid, row->start, row->time);

		if (row->copied > sizeof row->stack ||
			(b && (row->start - b->start >= b->bytes || b->time > row->time)))
			abort();
	}
	return 0;
}
