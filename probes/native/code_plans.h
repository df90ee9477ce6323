/*
 * Memory that the code at sampled instructions touches: decoded once an instruction and process.
 */
#ifndef SD_CODE_PLANS_H
#define SD_CODE_PLANS_H

#include "base/key_table.h"
#include "native/code_copies.h"
#include "operands/operand_plan.h"
#include "record/stacks.h"
#include "symbols/symbols.h"

#define SD_CODE_PLANS_MOST 32768u /* instructions; of more, nothing is known */

/* An innermost loop, or the code of a function outside of its loops. */
struct sd_code_loop {
	unsigned node; /* of its first instruction; 0: unknown code */
	double bytes;  /* distinct ones that a pass touches; 0 unknown */
};

struct sd_code_plan {
	struct sd_operand_plan *plan; /* owned; NULL: no code */
	int pid;
	uint64_t space;
	unsigned loop; /* index */
	int unnamed;   /* it is in no file, and nobody tells where its function begins */
};

/* Zeroed, with the first three set, is empty. All borrowed. */
struct sd_code_plans {
	struct sd_symbols *symbols;
	struct sd_stacks *stacks;
	enum sd_insn_decode_machine machine;
	const struct sd_code_copies *copies; /* of code that is in no file; NULL: none */
	struct sd_code_plan *code;           /* owned */
	size_t n;
	struct sd_code_loop *loop; /* owned; the first is for unknown code */
	size_t n_loop;
	struct sd_key_table by_code, by_node;
};

/* The number of the plan for an instruction of pid, whose memory is `space` and whose mappings were
 * changed `age` times. -ENOMEM. Number 0 has no plan: there are too many. */
long sd_code_plans_at(struct sd_code_plans *p, int pid, uint64_t space, unsigned age, uint64_t ip);

void sd_code_plans_free(struct sd_code_plans *p); /* leaves an empty one */

#endif
