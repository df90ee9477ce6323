/*
 * A plan that is being made: the instructions that were taken apart for it, and its steps so far.
 */
#ifndef SD_OPERAND_MAKING_H
#define SD_OPERAND_MAKING_H

#include "operands/operand_flow.h"
#include "operands/operand_insn.h"

#define SD_OPERAND_MAKING_INSNS 192 /* taken apart for one plan */

/* An instruction of the plan, and where its operands stand in it. */
struct sd_operand_placed {
	size_t at;
	unsigned first_operand;
	unsigned distance; /* from the sample, in instructions of the walk */
	struct sd_operand_insn insn;
};

struct sd_operand_making {
	struct sd_operand_plan *out;
	struct sd_operand_flow flow;
	enum sd_insn_decode_machine machine;
	const unsigned char *code;
	uint64_t base; /* address of code */
	size_t n, ip;
	size_t head, end; /* of the loop */
	int looped, full;
	csh handle;
	cs_insn *in;
	struct sd_operand_placed placed[SD_OPERAND_MAKING_INSNS];
	unsigned n_placed;
	unsigned operands; /* found, those that no longer fit included */
	/* the walk around the loop: its instructions, numbers of `placed` */
	uint16_t lap[SD_OPERAND_MAKING_INSNS];
	unsigned n_lap;
};

/* The instruction at `at`, taken apart the first time; NULL: unknown, or too many. */
struct sd_operand_placed *sd_operand_making_place(
	struct sd_operand_making *k, size_t at, unsigned distance);

/* Its steps are the next of the plan. */
void sd_operand_making_emit(struct sd_operand_making *k, const struct sd_operand_placed *p);

/* Makes everything unknown that the instructions lap[from..to) may have changed. */
void sd_operand_making_forget(struct sd_operand_making *k, unsigned from, unsigned to);

#endif
