/*
 * From the events of a capture to a timeline: every event with its stack, and waits with their
 * places.
 */
#ifndef SD_TIMELINE_BUILD_H
#define SD_TIMELINE_BUILD_H

#include "resolve/stack_resolve.h"
#include "trace/timeline.h"

struct sd_timeline_build_thread;

/* Sampled instructions whose code was looked at; a later one takes the place of an earlier one. */
#define SD_TIMELINE_BUILD_CODES 1024
struct sd_timeline_build_code {
	uint64_t ip; /* 0 free */
	int pid;
	enum sd_activity activity; /* what a thread does there */
	int atomic;                /* at an atomic instruction, or just behind one */
};

#define SD_TIMELINE_BUILD_BARRIERS 64

/* Zeroed but for the first two and `first` is the beginning. */
struct sd_timeline_build {
	struct sd_stack_resolve *placing;
	struct sd_timeline *timeline;
	int first;                               /* pid of the program: its exec is the start */
	struct sd_timeline_build_thread *thread; /* owned; by number */
	size_t room;
	struct sd_timeline_build_code code[SD_TIMELINE_BUILD_CODES];
	struct {
		int pid;
		uint64_t address;
		enum sd_libgomp_barrier gomp;
	} barrier[SD_TIMELINE_BUILD_BARRIERS]; /* what the recorder said of futexes */
	unsigned n_barrier;
	int ended;     /* SD_EVENT_END came */
	char boot[40]; /* what it said; "" unknown */
	uint64_t lost;
	uint64_t waits, bare; /* waits, and those without a stack of their own */
};

/* The `each` of sd_trace_replay, *ctx a struct sd_timeline_build. 0 or -ENOMEM. */
int sd_timeline_build_event(void *ctx, const struct sd_event *e);

/* After the last event: waits before the first one of their thread whose stack is known are taken
 * for one of its later ones. */
void sd_timeline_build_end(struct sd_timeline_build *h);

void sd_timeline_build_free(struct sd_timeline_build *h); /* accepts the zeroed value */

#endif
