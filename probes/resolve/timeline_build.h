/*
 * Builds a timeline from the events of a capture: each event gets its stack, each wait its place.
 */
#ifndef SD_TIMELINE_BUILD_H
#define SD_TIMELINE_BUILD_H

#include "resolve/sample_code.h"
#include "resolve/stack_resolve.h"
#include "trace/timeline.h"

struct sd_timeline_build_thread;

#define SD_TIMELINE_BUILD_BARRIERS 64

/* Initially zero except for the first two and `first`. */
struct sd_timeline_build {
	struct sd_stack_resolve *placing;
	struct sd_timeline *timeline;
	int first;                               /* pid of the program: its exec is the start */
	struct sd_timeline_build_thread *thread; /* owned; by number */
	size_t room;
	struct sd_sample_code code;
	struct {
		int pid;
		uint64_t address;
		enum sd_libgomp_barrier gomp;
	} barrier[SD_TIMELINE_BUILD_BARRIERS]; /* what the recorder found out about futexes */
	unsigned n_barrier;
	int ended;     /* SD_EVENT_END came */
	char boot[40]; /* its boot id; "" unknown */
	uint64_t lost;
	uint64_t waits, bare; /* waits, and those without a stack of their own */
};

/* The callback for sd_trace_replay; ctx is a struct sd_timeline_build. 0 or -ENOMEM. */
int sd_timeline_build_event(void *ctx, const struct sd_event *e);

/* Call after the last event: waits before a thread's first one with a known stack get the stack of
 * a later one. */
void sd_timeline_build_end(struct sd_timeline_build *h);

void sd_timeline_build_free(struct sd_timeline_build *h); /* accepts the zeroed value */

#endif
