/*
 * Shared parts of the files that take instructions of x86-64 apart.
 */
#ifndef SD_OPERAND_X86_H
#define SD_OPERAND_X86_H

#include "operands/operand_insn.h"

/* as in the kernel's asm/perf_regs.h of this machine */
enum { AX, BX, CX, DX, SI, DI, BP, SP, R8 = 16, R9, R10, R11, R12, R13, R14, R15 };
enum { TEMP = SD_OPERAND_TEMP, TEMP2, NEVER = SD_OPERAND_NEVER, ZERO = SD_OPERAND_ZERO };

#define BIT(r) (UINT64_C(1) << (r))

/* The part of a general register; width 0: it is none. */
struct sd_operand_part {
	uint8_t reg, width, high;
};

struct sd_operand_part sd_operand_x86_part(unsigned capstone_reg);

struct sd_operand_x86 {
	struct sd_operand_insn *out;
	csh handle;
	const cs_insn *in;
	const cs_x86 *x;
	int locked;
};

/* Fills the address of step `s`; of `lea` too. */
void sd_operand_x86_address(
	const struct sd_operand_x86 *d, struct sd_operand_step *s, const cs_x86_op *o);

/* Adds a step for memory operand `o`. */
struct sd_operand_step *sd_operand_x86_access(struct sd_operand_x86 *d, const cs_x86_op *o,
	enum sd_operand_do what, uint8_t reg, int reads, int writes);

/* Instructions whose values are not followed: what they access, and what is unknown behind them. */
void sd_operand_x86_other(struct sd_operand_x86 *d);

/* String instructions; 0: it is none. */
int sd_operand_x86_string(struct sd_operand_x86 *d);

#endif
