/*
 * The stacks that the runs of a point were sampled in, one after the other.
 */
#ifndef SD_SAMPLED_USES_H
#define SD_SAMPLED_USES_H

#include "runs/run_selection.h"

/* Before the first of `p`, which is borrowed: the rest is zero. */
struct sd_sampled_uses {
	const struct sd_chosen *p;
	size_t run, use;
};

/* The next, of the runs that took samples; NULL behind the last. */
const struct sd_use *sd_sampled_uses_next(struct sd_sampled_uses *u);

/* The runs that took samples; and their stacks. */
size_t sd_sampled_uses_runs(const struct sd_chosen *p);
size_t sd_sampled_uses_all(const struct sd_chosen *p);

#endif
