/*
 * Activity of a thread at a stack, by the wait rules, and whether a runtime's scheduler stands on
 * it; each is determined once a node.
 */
#ifndef SD_STACK_ACTIVITY_H
#define SD_STACK_ACTIVITY_H

#include "resolve/stack_resolve.h"
#include "resolve/wait_match.h"

/* The innermost frame of the stack that is `what` to a runtime; 0: none. */
unsigned sd_stack_activity_enters(
	struct sd_stack_resolve *p, unsigned node, enum sd_wait_match_enters what);

/* The stack of the task that a runtime's scheduler left, which is what lies outside the scheduler
 * on the stack. 0: no scheduler on it, or task unknown. */
unsigned sd_stack_activity_task(struct sd_stack_resolve *p, unsigned node);

/* The activity of a thread at this stack; `blocked`: what it waits for. */
enum sd_activity sd_stack_activity(struct sd_stack_resolve *p, unsigned node, int blocked);

#endif
