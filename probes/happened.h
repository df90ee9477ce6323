/*
 * From the events of a capture to a timeline: every event with its stack, and waits with their
 * places.
 */
#ifndef SD_HAPPENED_H
#define SD_HAPPENED_H

#include "placing.h"
#include "timeline.h"

struct sd_happened_thread;

/* Zeroed but for the first two and `first` is the beginning. */
struct sd_happened {
	struct sd_placing *placing;
	struct sd_timeline *timeline;
	int first;                         /* pid of the program: its exec is the start */
	struct sd_happened_thread *thread; /* owned; by number */
	size_t room;
	uint64_t lost;
	uint64_t waits, bare; /* waits, and those without a stack of their own */
};

/* The `each` of sd_capture_replay, *ctx a struct sd_happened. 0 or -ENOMEM. */
int sd_happened_event(void *ctx, const struct sd_event *e);

/* After the last event: waits before the first one of their thread whose stack is known are taken
 * for one of its later ones. */
void sd_happened_end(struct sd_happened *h);

void sd_happened_free(struct sd_happened *h); /* accepts the zeroed value */

#endif
