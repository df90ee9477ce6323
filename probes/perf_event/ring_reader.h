/*
 * Reading the records of a ring buffer in their order, whole, though the ring wraps.
 */
#ifndef SD_RING_READER_H
#define SD_RING_READER_H

#include "perf_event/perf_mmap.h"

#define SD_RING_READER_RECORD 65536u /* a record's size is 16 bits */

/* Positions grow without end; modulo the size they are places in the ring. */
struct sd_ring_reader {
	struct sd_perf_mmap *ring;
	uint64_t at, head; /* next record; end of what the kernel had written at the beginning */
	int broken;        /* a size that cannot be: the rest was skipped */
};

struct sd_ring_reader sd_ring_reader_begin(struct sd_perf_mmap *ring);

/*
 * The next record, or NULL at the end. It stays where it is until sd_ring_reader_end, or in
 * `scratch` (SD_RING_READER_RECORD bytes, aligned as malloc does) until that is used again.
 */
const struct perf_event_header *sd_ring_reader_next(struct sd_ring_reader *r, void *scratch);

/* Gives the kernel the room before position `upto`. */
void sd_ring_reader_end(struct sd_ring_reader *r, uint64_t upto);

#endif
