/*
 * An instruction taken apart into steps, by the decoder of its machine.
 */
#ifndef SD_OPERAND_INSN_H
#define SD_OPERAND_INSN_H

#include <capstone/capstone.h>

#include "operands/operand_plan.h"

#define SD_OPERAND_INSN_STEPS 12
#define SD_OPERAND_INSN_ACCESSES 3

struct sd_operand_insn {
	uint64_t ip;
	size_t length; /* bytes; 0: no instruction that is known */
	unsigned n, n_accesses;
	struct sd_operand_step step[SD_OPERAND_INSN_STEPS]; /* .access counts from 0 within it */
	struct sd_operand access[SD_OPERAND_INSN_ACCESSES];
	unsigned masked : 1; /* touches what a mask says */
	unsigned call : 1;   /* a function, or the kernel, may do more */
};

/* Adds a step; what does not fit makes all registers unknown. */
struct sd_operand_step *sd_operand_insn_add(
	struct sd_operand_insn *i, enum sd_operand_do what, uint8_t dst, uint8_t base);

/* Makes registers unknown, bit by number. */
void sd_operand_insn_forget(struct sd_operand_insn *i, uint64_t registers);

/* The step at `step` is an access. */
struct sd_operand *sd_operand_insn_access(struct sd_operand_insn *i, struct sd_operand_step *step,
	unsigned size, int reads, int writes);

/* Takes apart what capstone decoded with details; of aarch64 a word. */
void sd_operand_x86(struct sd_operand_insn *out, csh handle, const cs_insn *in);
void sd_operand_aarch64(struct sd_operand_insn *out, uint64_t ip, uint32_t word);

#endif
