/*
 * Keeps the data of one CPU within the bound: of samples and of the stacks of switches it lets pass
 * one of k, the more the fuller the spool is. The weight of a sample is that of all that it stands
 * for.
 */
#ifndef SD_DOWNSAMPLE_H
#define SD_DOWNSAMPLE_H

#include "trace/trace.h"
#include "trace/trace_buffer.h"

struct sd_downsample {
	uint64_t samples, weight; /* held back, and what they stand for */
	uint64_t stacks;          /* held back */
	uint64_t lost;            /* that there was no room for and nothing has said so yet */
};

/* Samples that one stands for: 1 below half of the bound, 2 below three quarters, ... */
uint64_t sd_downsample_share(const struct sd_trace_buffer *s);

/* Appends *e, or not; changes its weight and detail. Returns how many events were lost for good: 0
 * or 1. */
uint64_t sd_downsample_put(
	struct sd_downsample *t, struct sd_trace_buffer *s, size_t stream, struct sd_event *e);

#endif
