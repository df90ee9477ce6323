/*
 * The samples and waits of a run as shares of what the run's core-seconds went to: every part of
 * the account (parts.h) divided among the stacks that stand for it.
 */
#ifndef SD_USES_H
#define SD_USES_H

#include "accounting/run_parts.h"

/* `value` of a part, a fraction of the capacity, belongs to the stack `node`; 0: to no stack. */
typedef void sd_uses_fn(void *ctx, unsigned node, enum sd_part part, double value);

/*
 * Calls `each` so that the values of a part sum to parts->part[]. Work and spinning are divided as
 * the samples in user code, system time as those in the kernel; serial code, imbalance and locks
 * among the stacks that ran while others waited or spun, by blame; waits for disks, networks,
 * timers, MPI and locks of the kernel among the stacks that waited. Where the stacks' seconds come
 * to less than four fifths of a part, the rest is no stack's; else they are a sample of all of it.
 * Parts that nobody's stack stands for (stolen, throttled, run queue, unknown) are left out.
 */
void sd_uses_each(const struct sd_run *run, unsigned n, const struct sd_parts *parts,
	sd_uses_fn *each, void *ctx);

/* The parts that the above calls `each` for, a bit each. */
#define SD_USES_BIT(part) (1ul << SD_PART_##part)
#define SD_USES_PARTS                                                                      \
	(SD_USES_BIT(USER) | SD_USES_BIT(SYSTEM) | SD_USES_BIT(LOCK) | SD_USES_BIT(DISK) | \
		SD_USES_BIT(IMBALANCE) | SD_USES_BIT(SERIAL) | SD_USES_BIT(SLEEP) |        \
		SD_USES_BIT(NETWORK) | SD_USES_BIT(KERNEL) | SD_USES_BIT(MPI) |            \
		SD_USES_BIT(SPIN) | SD_USES_BIT(SPIN_LOCK) | SD_USES_BIT(SPIN_MPI) |       \
		SD_USES_BIT(SYSTEM_LOCK) | SD_USES_BIT(SYSTEM_THREADS) |                   \
		SD_USES_BIT(SPIN_SERIAL) | SD_USES_BIT(SPIN_IMBALANCE))

/* What a part costs a function. */
extern const enum sd_cost sd_uses_cost[SD_PART_COUNT];

/* Did this run take samples? */
int sd_uses_sampled(const struct sd_run *run);

#endif
