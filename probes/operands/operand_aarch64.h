/*
 * Shared parts of the files that take instructions of aarch64 apart.
 */
#ifndef SD_OPERAND_AARCH64_H
#define SD_OPERAND_AARCH64_H

#include "operands/operand_insn.h"

static inline unsigned sd_operand_aarch64_bits(uint32_t word, unsigned from, unsigned n)
{
	return word >> from & ((1u << n) - 1);
}

static inline int64_t sd_operand_aarch64_signed(uint32_t word, unsigned from, unsigned n)
{
	const int64_t sign = INT64_C(1) << (n - 1);

	return ((int64_t)sd_operand_aarch64_bits(word, from, n) ^ sign) - sign;
}

/* The register whose number stands there, where 31 is zero and not the stack pointer. */
static inline uint8_t sd_operand_aarch64_register(uint32_t word, unsigned from)
{
	const unsigned number = sd_operand_aarch64_bits(word, from, 5);

	return number == 31 ? SD_OPERAND_ZERO : (uint8_t)number;
}

/* Loads and stores. */
void sd_operand_aarch64_memory(struct sd_operand_insn *out, uint32_t word);

#endif
