/*
 * Stacks as flame graphs take them: the names from the outermost function to the innermost joined
 * by ';', and a count.
 */
#ifndef SD_FOLDED_STACKS_H
#define SD_FOLDED_STACKS_H

#include <stddef.h>

/* Names are as the symbols have them, any bytes, but for ';', which is a ':' here. */
struct sd_fold_stacks {
	char *stack;          /* owned */
	double before, after; /* us of thread time, mean of a run: at the reference, at the point */
};

struct sd_folded_stacks {
	struct sd_fold_stacks *row; /* owned; in the order of strcmp, each stack once */
	size_t n;
	unsigned cores_before, cores_after;
};

void sd_folded_stacks_free(struct sd_folded_stacks *f); /* accepts the zeroed value, leaves it */

#endif
