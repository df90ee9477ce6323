/*
 * A plan's steps, done one after the other on what is known.
 */
#ifndef SD_OPERAND_WALK_H
#define SD_OPERAND_WALK_H

#include "operands/operand_moment.h"
#include "operands/operand_plan.h"

struct sd_operand_walk {
	const struct sd_operand_plan *plan;
	struct sd_operand_moment m;
	/* what each step of those before the sample left in its register, found backwards */
	uint64_t left[SD_OPERAND_STEPS];
	unsigned char left_known[SD_OPERAND_STEPS];
	uint64_t address[SD_OPERANDS];
	uint64_t resolved, doubtful; /* operands, a bit each */
	int contradicts;
};

/* Step i: its address, where it has one that is not recorded yet, is recorded; then what it does.
 */
void sd_operand_walk_forward(struct sd_operand_walk *w, unsigned i);

/* Likewise back to the moment before step i, where its address counts. */
void sd_operand_walk_back(struct sd_operand_walk *w, unsigned i);

/* Fills in the strides of the steps [certain, n_steps), which are one pass of a loop. */
void sd_operand_walk_strides(struct sd_operand_plan *p);

#endif
