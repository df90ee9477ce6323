/*
 * The cores lost at the largest point against the reference, by call stack.
 */
#ifndef SD_LOSS_BY_STACK_H
#define SD_LOSS_BY_STACK_H

#include "runs/run_selection.h"
#include "hotspots/code_places.h"
#include "accounting/parts_by_stack.h"

struct sd_loss_by_stack {
	struct sd_code_places places;
	const struct sd_chosen *ref, *now; /* borrowed; now: NULL unless both ends were sampled */
	/* owned; cores beyond the reference's (times omega), means over sampled runs */
	double *spot;      /* [spot][part] */
	double *before;    /* [spot][part]; of these, what the reference had (times omega) */
	double *exclusive; /* [function] */
	double *inclusive; /* [function]; recursion counts once */
	double *node;      /* [node], exclusive */
	int whole; /* of a program that was only looked at: all of its cores, beyond no reference */
	struct sd_interval allocated; /* below malloc and similar functions; absent: unknown */
	struct sd_interval locking;   /* taking and releasing locks; absent: unknown */
	struct sd_interval tasking;   /* creating and dispatching tasks; absent: unknown */
	struct sd_interval dispatch; /* likewise, plus spinning at barriers and similar meanwhile */
};

/* Cores at spot `i` in a part. */
#define SD_LOSS_BY_STACK(s, i, part) ((s)->spot[(i)*SD_PART_COUNT + (part)])
#define SD_LOSS_BY_STACK_BEFORE(s, i, part) ((s)->before[(i)*SD_PART_COUNT + (part)])

/* 0 or -ENOMEM; *out is to be freed in every case. */
int sd_loss_by_stack_make(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_loss_by_stack *out);
void sd_loss_by_stack_free(struct sd_loss_by_stack *s); /* accepts the zeroed value */

/* Cores of these parts (a bit each) at a spot. */
double sd_loss_by_stack_sum(const struct sd_loss_by_stack *s, size_t spot, unsigned long parts);

/*
 * As sd_parts_by_stack_each(), but for locks that are waited for below malloc and its like: these
 * waits are charged to the stacks that wait. Their owner is in malloc for some 100 ns at a time, so
 * that the sample which is charged for others' waits mostly finds it elsewhere.
 */
void sd_loss_by_stack_each(const struct sd_code_places *places, const struct sd_run *run,
	unsigned n, const struct sd_run_parts *parts, sd_parts_by_stack_fn *each, void *ctx);

/* Parts whose time below malloc and similar functions would shrink with fewer allocations. */
#define SD_LOSS_BY_STACK_ALLOCATING                                              \
	(SD_PARTS_BY_STACK_BIT(USER) | SD_PARTS_BY_STACK_BIT(SYSTEM) |           \
		SD_PARTS_BY_STACK_BIT(KERNEL) | SD_PARTS_BY_STACK_BIT(LOCK) |    \
		SD_PARTS_BY_STACK_BIT(SPIN_LOCK) | SD_PARTS_BY_STACK_BIT(SPIN) | \
		SD_PARTS_BY_STACK_BIT(SYSTEM_LOCK))

/* Parts of threads that wait for tasks: spinning, and starting and waking threads. */
#define SD_LOSS_BY_STACK_DISPATCHING \
	(SD_PARTS_BY_STACK_BIT(SPIN) | SD_PARTS_BY_STACK_BIT(SYSTEM_THREADS))

/* Is it user time that takes or releases a lock other than malloc's own? */
int sd_loss_by_stack_is_locking(const struct sd_spot *spot, enum sd_part part);

/* The functions of a stack, each once, innermost first: at most SD_STACKS_DEPTH. */
size_t sd_loss_by_stack_path(
	const struct sd_code_places *p, unsigned node, unsigned out[SD_STACKS_DEPTH]);

#endif
