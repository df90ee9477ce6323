/*
 * Makes the plan from options and topology, and the order of each block of runs from its seed.
 */
#ifndef SD_PLANNER_H
#define SD_PLANNER_H

#include "options.h"
#include "plan.h"
#include "sink.h"
#include "topology.h"

/*
 * 0; -EINVAL with a message when no count is left (all above the granted CPUs: says how many are
 * granted and names
 * --oversubscribe); -ENOMEM. Counts above t->granted go to `skipped` unless options->oversubscribe,
 * where a point has more cores than CPUs. --cores all: 1, then every count up to granted when
 * granted <= 16, else powers of two, the counts at which a core kind, LLC domain, NUMA node or
 * package is full, and granted.
 */
int sd_planner_make(const struct sd_options *options, const struct sd_topology *t,
	struct sd_plan *out, const struct sd_sink *sink);

/* The points in the order of block `block`: order[n_point], a permutation that depends on seed and
 * block alone. */
void sd_planner_order(const struct sd_plan *plan, unsigned block, size_t *order);

#endif
