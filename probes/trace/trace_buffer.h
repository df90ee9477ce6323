/*
 * Bounded memory for captured data: one byte stream a CPU, in chunks.
 */
#ifndef SD_TRACE_BUFFER_H
#define SD_TRACE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct sd_chunk {
	struct sd_chunk *next;
	uint64_t base;    /* time of its first event, since chunks are decoded independently */
	uint64_t last;    /* of its last event */
	int tid;          /* of its last event */
	uint32_t n, room; /* bytes used and available */
	unsigned char bytes[];
};

struct sd_stream {
	unsigned cpu;
	struct sd_chunk *first, *last;
};

/* Chunks that no buffer has now, for the next one: at most SD_SPARE_CHUNKS. None: zeroed. */
struct sd_spare_chunks {
	struct sd_chunk *first;
	size_t n;
};
#define SD_SPARE_CHUNKS 64u                           /* of 128 KiB */
void sd_spare_chunks_free(struct sd_spare_chunks *s); /* leaves none */

struct sd_trace_buffer {
	struct sd_stream *stream;
	size_t n;
	uint64_t used, bound;          /* bytes */
	struct sd_spare_chunks *spare; /* borrowed: where chunks come from and go; or NULL */
};

/* Adds a stream for another CPU; 0 or -ENOMEM. */
int sd_trace_buffer_add(struct sd_trace_buffer *s, unsigned cpu);

/*
 * The chunk with room for the next `most` bytes of a stream, at bytes + n; afterwards the caller
 * reports with sd_trace_buffer_used how many it wrote. A new chunk starts at time `base`. NULL: out
 * of memory.
 */
struct sd_chunk *sd_trace_buffer_room(
	struct sd_trace_buffer *s, size_t stream, size_t most, uint64_t base);
struct sd_chunk *sd_trace_buffer_fresh(
	struct sd_trace_buffer *s, size_t stream, size_t room, uint64_t base);
void sd_trace_buffer_used(struct sd_trace_buffer *s, struct sd_chunk *chunk, size_t n);

/* No streams; the bound and the spare chunks stay. */
void sd_trace_buffer_empty(struct sd_trace_buffer *s);
void sd_trace_buffer_free(struct sd_trace_buffer *s); /* leaves the empty one; accepts it */

#endif
