/*
 * Bounded memory for what was captured: one stream of bytes a CPU, in chunks.
 */
#ifndef SD_SPOOL_H
#define SD_SPOOL_H

#include <stddef.h>
#include <stdint.h>

struct sd_chunk {
	struct sd_chunk *next;
	uint64_t base;    /* time of its first event: each chunk is read without the others */
	uint64_t last;    /* of its last event */
	int tid;          /* of its last event */
	uint32_t n, room; /* bytes used, and that there are */
	unsigned char bytes[];
};

struct sd_stream {
	unsigned cpu;
	struct sd_chunk *first, *last;
};

struct sd_spool {
	struct sd_stream *stream;
	size_t n;
	uint64_t used, bound; /* bytes */
};

/* A stream for another CPU; 0 or -ENOMEM. */
int sd_spool_add(struct sd_spool *s, unsigned cpu);

/*
 * The chunk that the next `most` bytes of a stream go into, at bytes + n; the caller then says with
 * sd_spool_used how many they were. A new chunk begins at time `base`. NULL: out of memory.
 */
struct sd_chunk *sd_spool_room(struct sd_spool *s, size_t stream, size_t most, uint64_t base);
struct sd_chunk *sd_spool_fresh(struct sd_spool *s, size_t stream, size_t room, uint64_t base);
void sd_spool_used(struct sd_spool *s, struct sd_chunk *chunk, size_t n);

void sd_spool_empty(struct sd_spool *s); /* no streams; the bound stays */
void sd_spool_free(struct sd_spool *s);  /* leaves the empty one; accepts it */

#endif
