/*
 * Makes the plan from options and topology, and the order of runs in each block from its seed.
 */
#ifndef SD_PLANNER_H
#define SD_PLANNER_H

#include "record/options.h"
#include "record/plan.h"
#include "base/sink.h"
#include "machine/topology.h"

/*
 * The core counts, all at most t->granted:
 *
 *   a list  as given; counts above granted go to `skipped`, unless options->oversubscribe, where a
 *           point has more cores than CPUs once they are used up
 *   powers  1, 2, 4, … and granted itself, so that the whole machine is always seen
 *   all     every count when granted <= 16; else the powers, granted, and the counts at which the
 *           cores of a core kind, LLC domain, NUMA node, package or of the whole machine are all in
 *           use, one PU each (of a level with more than 8 domains: where the first one is full)
 *
 * Each point is bound to the first min(cores, n_pu) CPUs of the placement, also under a quota.
 * Repeats: options->repeats exactly, when given. Else automatic (min_repeats 0), and at most 60
 * without a budget; with one, 1000: the budget is the limit.
 * With --events sim, counts above granted become simulated points: the software PMU alone runs
 * those. The machine of plan->simulation is the caller's to fill.
 * 0; -EINVAL with a message when no count is left (says how many are granted and names
 * --oversubscribe); -ENOMEM. *out empty on failure.
 */
int sd_planner_make(const struct sd_options *options, const struct sd_topology *t,
	struct sd_plan *out, const struct sd_sink *sink);

/* The points in the order of block `block`: order[n_point], a permutation that depends only on seed
 * and block. */
void sd_planner_order(const struct sd_plan *plan, unsigned block, size_t *order);

#endif
