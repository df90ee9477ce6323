/*
 * The registers and the copied stack at some moment before or after a sample, as far as they are
 * known.
 */
#ifndef SD_OPERAND_MOMENT_H
#define SD_OPERAND_MOMENT_H

#include <stddef.h>
#include <stdint.h>

#include "operands/operand_step.h"

#define SD_OPERAND_NOTES 32

/* A place in memory whose value is known, or known to have changed. */
struct sd_operand_note {
	uint64_t address, value;
	uint8_t width, known;
};

struct sd_operand_moment {
	uint64_t reg[SD_OPERAND_REGS];
	uint64_t known, doubtful; /* registers, bit by number */
	uint64_t stack_at;        /* the copied stack */
	const unsigned char *stack;
	size_t stack_size;
	/* newest last; when they are too many the copied stack is no longer believed */
	struct sd_operand_note note[SD_OPERAND_NOTES];
	unsigned n;
	int stack_doubtful, stack_unknown;
	/* memory without a copy is this of a seed and its address; NULL: unknown */
	uint64_t (*invented)(uint64_t seed, uint64_t address);
	uint64_t seed;
};

static inline uint64_t sd_operand_moment_bit(unsigned reg)
{
	return UINT64_C(1) << reg;
}

static inline int sd_operand_moment_knows(const struct sd_operand_moment *m, unsigned reg)
{
	return (int)(m->known >> reg & 1);
}

/* The low `width` bytes. */
static inline uint64_t sd_operand_moment_low(uint64_t value, unsigned width)
{
	return width >= 8 ? value : value & ((UINT64_C(1) << 8 * width) - 1);
}

void sd_operand_moment_set(
	struct sd_operand_moment *m, unsigned reg, int known, uint64_t value, int doubtful);

/* Do the registers that `s` adds up depend on doubtful values? */
int sd_operand_moment_doubts(const struct sd_operand_moment *m, const struct sd_operand_step *s);

/* The address that a step of memory has; 0: it is unknown. */
int sd_operand_moment_address(
	const struct sd_operand_moment *m, const struct sd_operand_step *s, uint64_t *address);

/* Memory, of at most 8 bytes; 0: unknown. */
int sd_operand_moment_read(const struct sd_operand_moment *m, uint64_t address, unsigned width,
	uint64_t *value, int *doubtful);
void sd_operand_moment_note(
	struct sd_operand_moment *m, uint64_t address, unsigned width, int known, uint64_t value);

/* Arithmetic of a step, and back to what was before it as far as what is behind it tells that. */
void sd_operand_moment_compute(struct sd_operand_moment *m, const struct sd_operand_step *s);
void sd_operand_moment_undo(struct sd_operand_moment *m, const struct sd_operand_step *s);

#endif
