/*
 * The samples of several processes' runs at the same time, added up: seconds and counts of each
 * stack and activity.
 */
#ifndef SD_SAMPLED_SUM_H
#define SD_SAMPLED_SUM_H

#include "record/sampled.h"
#include "record/stacks.h"

struct sd_sampled_sum {
	struct sd_stacks *stacks; /* that all places are added to; borrowed */
	struct sd_use *use;       /* owned; a stack may be there several times until the end */
	size_t n_use;
	struct sd_sampled whole; /* without rows; locks are its own */
};

/* With what *first has, whose stacks are the sum's. 0 or -ENOMEM. */
int sd_sampled_sum_begin(struct sd_sampled_sum *s, const struct sd_sampled *first);
/* `from` names the places of `part`. Those beyond what a record's table holds lose their callers.
 * 0 or -ENOMEM. */
int sd_sampled_sum_add(
	struct sd_sampled_sum *s, const struct sd_sampled *part, const struct sd_stacks *from);
/*
 * Moves the sum into *out: at most SD_SAMPLED_ROWS rows, the remainder under node 0. What only one
 * timeline of all threads can say (solo, who works alone, bottles) is left out. 0 or -ENOMEM.
 */
int sd_sampled_sum_end(struct sd_sampled_sum *s, struct sd_sampled *out);
void sd_sampled_sum_free(struct sd_sampled_sum *s);

#endif
