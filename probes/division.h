/*
 * The timeline's account: from one poll of the tree to the next, what ran and what the idle cores
 * were.
 */
#ifndef SD_DIVISION_H
#define SD_DIVISION_H

#include <stddef.h>

#include "idle.h"
#include "solo.h"
#include "tree.h"

/* Zeroed, with `cores` set, is the beginning. */
struct sd_division {
	double cores;               /* N */
	double idle[SD_IDLE_COUNT]; /* core-s, without what `solo` still holds */
	struct sd_solo solo;
	double *concurrency; /* owned; [k] = s with k threads on a CPU or ready */
	size_t n_concurrency;
	double carry; /* core-s that were booked as idle too much, an estimate put right */
	double peak;  /* most threads on a CPU or ready at once */
	double mix[SD_IDLE_COUNT];  /* how idle cores were last divided; sums to 1 or to 0 */
	struct sd_solo_case runner; /* the only runner of `mix`; tid 0: not one runner */
};

/* Books the time from the tree's last poll to this one. 0 or -ENOMEM. */
int sd_division_add(struct sd_division *d, struct sd_tree *tree);

/* The whole account: idle and what is known by now about the solo runners. */
void sd_division_total(const struct sd_division *d, double idle[SD_IDLE_COUNT]);

void sd_division_free(struct sd_division *d); /* accepts the zeroed value */

#endif
