/*
 * Reads the records of a ring buffer in order, reassembling those that wrap around its end.
 */
#ifndef SD_RING_READER_H
#define SD_RING_READER_H

#include "perf_event/perf_mmap.h"

#define SD_RING_READER_RECORD 65536u /* a record's size is 16 bits */

/* Positions only grow; modulo the size they are offsets in the ring. */
struct sd_ring_reader {
	struct sd_perf_mmap *ring;
	uint64_t at, head; /* next record; end of the data at the time of _begin */
	int broken;        /* invalid record size: the rest was skipped */
};

struct sd_ring_reader sd_ring_reader_begin(struct sd_perf_mmap *ring);

/*
 * The next record, or NULL at the end. Valid until sd_ring_reader_end, or, if copied to `scratch`
 * (SD_RING_READER_RECORD bytes, aligned as by malloc), until the next call.
 */
const struct perf_event_header *sd_ring_reader_next(struct sd_ring_reader *r, void *scratch);

/* Releases the data before position `upto` to the kernel. */
void sd_ring_reader_end(struct sd_ring_reader *r, uint64_t upto);

#endif
