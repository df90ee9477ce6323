/*
 * Why and where a thread waits, by the stack it left its CPU with.
 */
#ifndef SD_WAIT_REASON_H
#define SD_WAIT_REASON_H

#include "resolve/stack_resolve.h"
#include "trace/timeline.h"

/* Fills in the stack, the activity and the place of `m`, by event `e`. `last`: of its thread, 0 at
 * first, kept as sd_wait_classes_again has it. 0 or -ENOMEM. */
int sd_wait_reason_find(struct sd_stack_resolve *placing, struct sd_timeline *timeline,
	const struct sd_event *e, struct sd_moment *m, uint64_t *last);

#endif
