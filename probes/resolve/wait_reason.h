/*
 * Determines why and where a thread waits, from its stack when it left the CPU.
 */
#ifndef SD_WAIT_REASON_H
#define SD_WAIT_REASON_H

#include "resolve/stack_resolve.h"
#include "trace/timeline.h"

/* Fills in stack, activity and place of `m` from event `e`. `last` is per thread, initially 0, and
 * updated as by sd_wait_classes_again. 0 or -ENOMEM. */
int sd_wait_reason_find(struct sd_stack_resolve *placing, struct sd_timeline *timeline,
	const struct sd_event *e, struct sd_moment *m, uint64_t *last);

#endif
