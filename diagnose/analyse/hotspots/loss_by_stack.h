/*
 * The cores that the largest point lost against the reference, spread over the stacks.
 */
#ifndef SD_SPREAD_H
#define SD_SPREAD_H

#include "runs/run_selection.h"
#include "hotspots/code_places.h"
#include "accounting/parts_by_stack.h"

struct sd_spread {
	struct sd_places places;
	const struct sd_chosen *ref, *now; /* borrowed; now: NULL without samples at both ends */
	/* owned; cores added from the reference (there times omega), means over sampled runs */
	double *spot;                 /* [spot][part] */
	double *exclusive;            /* [function] */
	double *inclusive;            /* [function]; a function that calls itself counts once */
	double *node;                 /* [node], exclusive */
	struct sd_interval allocated; /* below malloc and its like; absent: unknown */
	struct sd_interval locking;   /* taking and releasing locks; absent: unknown */
	struct sd_interval tasking;   /* making tasks and handing them out; absent: unknown */
	struct sd_interval
		dispatch; /* the same, and what spins at barriers and the like meanwhile */
};

/* Of spot `i` and a part. */
#define SD_SPREAD(s, i, part) ((s)->spot[(i)*SD_PART_COUNT + (part)])

/* 0 or -ENOMEM; *out is to be freed in every case. */
int sd_spread_make(
	const struct sd_record *record, const struct sd_choice *choice, struct sd_spread *out);
void sd_spread_free(struct sd_spread *s); /* accepts the zeroed value */

/* Cores of these parts (a bit each) at a spot. */
double sd_spread_sum(const struct sd_spread *s, size_t spot, unsigned long parts);

/* Is it time below malloc and its like that would end with less allocating? */
#define SD_SPREAD_ALLOCATING                                                                 \
	(SD_USES_BIT(USER) | SD_USES_BIT(SYSTEM) | SD_USES_BIT(KERNEL) | SD_USES_BIT(LOCK) | \
		SD_USES_BIT(SPIN_LOCK) | SD_USES_BIT(SPIN) | SD_USES_BIT(SYSTEM_LOCK))

/* Does it spin, or start and wake threads, as those do that wait for tasks? */
#define SD_SPREAD_DISPATCHING (SD_USES_BIT(SPIN) | SD_USES_BIT(SYSTEM_THREADS))

/* Is it user time that takes or releases a lock, and not malloc's own? */
int sd_spread_is_locking(const struct sd_spot *spot, enum sd_part part);

/* The functions of a stack, each once, innermost first: at most SD_STACKS_DEPTH. */
size_t sd_spread_path(const struct sd_places *p, unsigned node, unsigned out[SD_STACKS_DEPTH]);

#endif
