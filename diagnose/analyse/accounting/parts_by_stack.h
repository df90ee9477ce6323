/*
 * The samples and waits of a run as shares of what the run's core-seconds went to: every part of
 * the account (run_parts.h) divided among the stacks that stand for it.
 */
#ifndef SD_PARTS_BY_STACK_H
#define SD_PARTS_BY_STACK_H

#include "accounting/run_parts.h"

/* `value` of a part, a fraction of the capacity, belongs to the stack `node`; 0: to no stack. */
typedef void sd_parts_by_stack_fn(void *ctx, unsigned node, enum sd_part part, double value);

/*
 * Calls `each` so that the values of a part sum to parts->part[]. Work and spinning are divided as
 * the samples in user code, system time as those in the kernel; serial code, imbalance and locks
 * among the stacks that ran while others waited or spun, by blame; waits for disks, networks,
 * timers, MPI and locks of the kernel among the stacks that waited. Where the stacks' seconds come
 * to less than four fifths of a part, the rest is no stack's; else they are a sample of all of it.
 * Parts that nobody's stack stands for (stolen, throttled, run queue, unknown) are left out.
 */
void sd_parts_by_stack_each(const struct sd_run *run, unsigned n, const struct sd_run_parts *parts,
	sd_parts_by_stack_fn *each, void *ctx);

/* The parts that the above calls `each` for, a bit each. */
#define SD_PARTS_BY_STACK_BIT(part) (1ul << SD_PART_##part)
enum {
	SD_PARTS_BY_STACK_PARTS = 0
#define X(id, component, cost, of) | (SD_COST_##cost != SD_COST_COUNT ? 1 << SD_PART_##id : 0)
	SD_PARTS(X)
#undef X
};

/* Did this run take samples? */
int sd_parts_by_stack_sampled(const struct sd_run *run);

#endif
