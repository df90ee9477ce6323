/*
 * Time by stack and activity: a table that grows, and its largest rows.
 */
#ifndef SD_PARTS_BY_STACK_H
#define SD_PARTS_BY_STACK_H

#include "record/sampled.h"
#include "record/stacks.h"

/* Zeroed is empty. */
struct sd_stack_times {
	struct sd_use *use; /* owned; in the order they came */
	size_t n, room;
	unsigned *slot; /* owned hash table of numbers + 1 */
	size_t slots;
};

/* The row of a stack's activity, fresh or not: valid until the next call; NULL: no memory. */
struct sd_use *sd_stack_times_row(
	struct sd_stack_times *u, unsigned node, enum sd_activity activity);

/*
 * At most SD_SAMPLED_ROWS rows. When there are more, those with the most time, idle time charged to
 * them included, stay whole; of the next the outer callers are cut, then all but the function, by
 * new stacks in *stacks; the others are added up under node 0, a row an activity (stacks NULL: all
 * the others). *out is owned by the caller, most time first. 0 or -ENOMEM.
 */
int sd_stack_times_take(
	const struct sd_stack_times *u, struct sd_stacks *stacks, struct sd_use **out, size_t *n);

void sd_stack_times_free(struct sd_stack_times *u); /* accepts the zeroed value */

#endif
