/*
 * Encodes events for the buffer, packed, since a program may switch 50,000 times a second. An event
 * is a byte of kind and flags, then numbers of 7 bits a byte, least significant first, with the top
 * bit set if another byte follows; differences are signed, with the sign in bit 0.
 *
 *   every event   time since the last one of the chunk, tid minus the last one's, pid minus tid
 *   SAMPLE        weight, then as SWITCH_OUT with detail
 *   SWITCH_OUT    nothing, or (flag 0x40) detail: ip; number of kernel addresses and each minus the
 *                 one before it; mask of registers and each; stack_at; size of the stack, its bytes
 *                 or (flag 0x80) the number of its stack
 *   WAKE, FORK    other minus tid
 *   MAP           address, size, offset, major, minor, inode; size of the build-id, its bytes; name
 *   BARRIER, PART address, count
 *   NAME, END     name: its length, its bytes, a NUL
 *   LOST          count
 *   SEEN          as SWITCH_OUT with detail, then as NAME
 */
#ifndef SD_TRACE_CODEC_H
#define SD_TRACE_CODEC_H

#include "trace/trace.h"
#include "trace/perf_records.h"
#include "trace/trace_buffer.h"

/* Appends an event. A time before the stream's last is raised to that (an interrupt between the
 * kernel's reading the clock and writing the record; microseconds). 0 or -ENOMEM. */
int sd_trace_codec_put(struct sd_trace_buffer *s, size_t stream, const struct sd_event *e);

/* The maximum number of bytes sd_trace_codec_put writes for it. */
size_t sd_trace_codec_most(const struct sd_event *e);

/* Reads a stream. */
struct sd_trace_codec {
	const struct sd_chunk *chunk; /* NULL: at the end */
	unsigned cpu;
	size_t at;
	uint64_t time;
	int tid;
	uint64_t chain[SD_RAW_CHAIN];
};

void sd_trace_codec_begin(struct sd_trace_codec *t, const struct sd_stream *from);

/* 1 and the next event, whose pointers are valid until the next call; 0 at the end. An undecodable
 * rest of a chunk is reported as an event LOST with count 1. */
int sd_trace_codec_next(struct sd_trace_codec *t, struct sd_event *e);

#endif
