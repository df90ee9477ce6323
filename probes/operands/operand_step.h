/*
 * The steps that instructions are taken apart into, the same for every machine: arithmetic on
 * registers, and accesses to memory. Registers have the numbers of struct sd_regs; a few more are
 * of no machine.
 */
#ifndef SD_OPERAND_STEP_H
#define SD_OPERAND_STEP_H

#include <stdint.h>

#define SD_OPERAND_REGS 64
enum {
	SD_OPERAND_TEMP = 60,  /* two, from here, within one instruction */
	SD_OPERAND_NEVER = 62, /* its value is never known */
	SD_OPERAND_ZERO = 63,
};

enum sd_operand_do {
	/* dst = base OP (index extended << shift) + imm; of AND, OR, XOR and MUL instead of + imm
	 * `imm` is the second argument where index is ZERO, likewise the count of the shifts.
	 * Of `width` bytes: 8, 4 with the upper half cleared, 2 and 1 with the rest kept. */
	SD_OPERAND_ADD,
	SD_OPERAND_SUB,
	SD_OPERAND_AND,
	SD_OPERAND_OR,
	SD_OPERAND_XOR,
	SD_OPERAND_MUL,
	SD_OPERAND_SHL,
	SD_OPERAND_SHR,
	SD_OPERAND_SAR,
	SD_OPERAND_SIGN,             /* dst = base's low `shift` bytes, sign-extended to `width` */
	SD_OPERAND_FORGET_REGISTERS, /* those of the bits of imm become unknown */
	/* of memory: address = base + (index extended << shift) + imm, `width` bytes */
	SD_OPERAND_LOAD,  /* dst = its value, zero-extended to 8 bytes */
	SD_OPERAND_STORE, /* its value = dst */
	/* values of no interest, or unknown; no access where register dst is 0, unless it is ZERO
	 */
	SD_OPERAND_READ,
	SD_OPERAND_WRITE,
	SD_OPERAND_FORGET_MEMORY, /* as WRITE, but it is no access */
	SD_OPERAND_FORGET_STACK,  /* nothing of the copied stack is certain any longer */
};

#define SD_OPERAND_SIGNED 8 /* of ext: sign-extend, beside the bytes that are taken */
#define SD_OPERAND_NO_ACCESS 255

struct sd_operand_step {
	uint8_t what; /* enum sd_operand_do */
	uint8_t dst, base, index;
	uint8_t shift;
	uint8_t ext;    /* of the index: bytes that are taken, 0 all */
	uint8_t width;  /* bytes; 0 unknown, or more than 255 */
	uint8_t access; /* number of the operand whose address this is; SD_OPERAND_NO_ACCESS none */
	int64_t imm;
};

#endif
