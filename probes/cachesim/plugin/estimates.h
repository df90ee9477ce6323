/*
 * Counts of the whole run, made of those of the parts that were modelled (sampled_parts.h).
 */
#ifndef SIM_ESTIMATES_H
#define SIM_ESTIMATES_H

#include "plugin/sampled_parts.h"
#include "threads/guest_run.h"

struct sim_estimates {
	double tail;          /* times that the last part is counted more, for the end of the run */
	double misses, moves; /* of L1, and of all lines: for each that was counted */
};

/* parts NULL: all was modelled, and nothing is estimated. */
struct sim_estimates sim_estimates_of(
	const struct sim_run *r, const struct sim_sampled_parts *parts);

struct sim_counts sim_estimates_thread(
	const struct sim_run *r, const struct sim_thread *t, double tail);

/* Cycles that it stood still. */
uint64_t sim_estimates_stall(const struct sim_thread *t, double tail);

/* All lines moved as often as those that moved in the parts. */
void sim_estimates_line(struct sim_line *x, const struct sim_estimates *e);

#endif
