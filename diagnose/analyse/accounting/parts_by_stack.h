/*
 * Divides every part of a run's account (run_parts.h) among call stacks, by the run's samples and
 * waits.
 */
#ifndef SD_PARTS_BY_STACK_H
#define SD_PARTS_BY_STACK_H

#include "accounting/run_parts.h"

/* `value` of a part, a fraction of the capacity, belongs to stack `node`; 0: to no stack. */
typedef void sd_parts_by_stack_fn(void *ctx, unsigned node, enum sd_part part, double value);

/*
 * Calls `each` so that the values of a part sum to parts->part[]. Work and spinning are divided
 * like the samples in user code, system time like those in the kernel; serial code, imbalance and
 * locks among the stacks that ran while others waited or spun, by blame; waits for disks, networks,
 * timers, MPI and kernel locks among the stacks that waited. If the stacks' seconds cover less than
 * 80 % of a part, the rest belongs to no stack; otherwise they are scaled to all of it. Parts
 * without stacks (stolen, throttled, run queue, unknown) are left out.
 */
void sd_parts_by_stack_each(const struct sd_run *run, unsigned n, const struct sd_run_parts *parts,
	sd_parts_by_stack_fn *each, void *ctx);

/* The parts passed to `each`, a bit each. */
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
