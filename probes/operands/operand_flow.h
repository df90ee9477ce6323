/*
 * Flow of control in the code around an instruction: boundaries of instructions, branches, and the
 * innermost loop. Offsets count from the first byte of the code that is given.
 */
#ifndef SD_OPERAND_FLOW_H
#define SD_OPERAND_FLOW_H

#include <stddef.h>
#include <stdint.h>

#include "instruction/insn_decode.h"

#define SD_OPERAND_FLOW_BYTES 8192
#define SD_OPERAND_FLOW_BRANCHES 512

struct sd_operand_branch {
	uint32_t at, end;
	int32_t target;      /* -1: unknown, or outside of what was looked at */
	unsigned always : 1; /* what stands behind it is not reached from it */
	unsigned call : 1;
	unsigned unknown : 1; /* it may go anywhere: an indirect jump */
};

struct sd_operand_flow {
	uint32_t first, end;  /* looked at from, to */
	unsigned certain : 1; /* from the function's first instruction on */
	unsigned
		indirect : 1; /* the code has an indirect jump: any instruction may be its target */
	unsigned n;
	struct sd_operand_branch branch[SD_OPERAND_FLOW_BRANCHES]; /* ascending */
	unsigned char
		begins[SD_OPERAND_FLOW_BYTES / 8]; /* a bit each: an instruction begins there */
};

/* `code`: n bytes, at most SD_OPERAND_FLOW_BYTES; `start`: of the function, -1 unknown. Returns 0;
 * -ENOENT: no instruction begins at `ip`. */
int sd_operand_flow_find(struct sd_operand_flow *f, enum sd_insn_decode_machine machine,
	const unsigned char *code, size_t n, long start, size_t ip);

int sd_operand_flow_begins(const struct sd_operand_flow *f, size_t at);

/* The branch at `at`, or NULL. */
const struct sd_operand_branch *sd_operand_flow_branch(const struct sd_operand_flow *f, size_t at);

/* First byte of the straight-line code that leads to `ip`: wherever in it execution is, it comes to
 * ip; and no other way leads there. */
size_t sd_operand_flow_lead(const struct sd_operand_flow *f, size_t ip);

/* The smallest loop around `ip`, [*head, *end); 0: there is none. */
int sd_operand_flow_loop(const struct sd_operand_flow *f, size_t ip, size_t *head, size_t *end);

#endif
