/*
 * A growing table of time by stack and activity, and its largest rows.
 */
#ifndef SD_PARTS_BY_STACK_H
#define SD_PARTS_BY_STACK_H

#include "record/sampled.h"
#include "record/stacks.h"

/* Zeroed is empty. */
struct sd_stack_times {
	struct sd_use *use; /* owned; in order of insertion */
	size_t n, room;
	unsigned *slot; /* owned hash table of indices + 1 */
	size_t slots;
};

/* The row of a stack and activity, created if missing; valid until the next call. NULL: out of
 * memory. */
struct sd_use *sd_stack_times_row(
	struct sd_stack_times *u, unsigned node, enum sd_activity activity);

/*
 * Takes at most SD_SAMPLED_ROWS rows. If there are more, those with the most time, including idle
 * time charged to them, are kept as they are. The next lose their outer callers, then all but their
 * function, with new stacks added to *stacks. The rest (all others if stacks is NULL) is summed
 * under node 0, one row an activity. *out is owned by the caller, most time first. 0 or -ENOMEM.
 */
int sd_stack_times_take(
	const struct sd_stack_times *u, struct sd_stacks *stacks, struct sd_use **out, size_t *n);

void sd_stack_times_free(struct sd_stack_times *u); /* accepts the zeroed value */

#endif
