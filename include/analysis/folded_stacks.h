/*
 * Stacks in the format of flame graphs: function names, outermost first, joined by ';', and a
 * count.
 */
#ifndef SD_FOLDED_STACKS_H
#define SD_FOLDED_STACKS_H

#include <stddef.h>

/* Names are those of the symbols, any bytes, with ';' replaced by ':'. */
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
