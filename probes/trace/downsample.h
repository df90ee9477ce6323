/*
 * Keeps the data of one CPU within the bound: passes one of k samples and stacks of switches, with
 * k growing as the buffer fills. A sample's weight includes those it represents.
 */
#ifndef SD_DOWNSAMPLE_H
#define SD_DOWNSAMPLE_H

#include "trace/trace.h"
#include "trace/trace_buffer.h"

struct sd_downsample {
	uint64_t samples, weight; /* held back, and their weight */
	uint64_t stacks;          /* held back */
	uint64_t lost;            /* dropped for lack of room and not yet reported */
};

/* Samples represented by one: 1 below half of the bound, 2 below three quarters, ... */
uint64_t sd_downsample_share(const struct sd_trace_buffer *s);

/* Appends *e or holds it back; may change its weight and detail. Returns the number of events lost
 * for good: 0 or 1. */
uint64_t sd_downsample_put(
	struct sd_downsample *t, struct sd_trace_buffer *s, size_t stream, struct sd_event *e);

#endif
