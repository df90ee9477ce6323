/*
 * Plan of the memory that the code around a sampled instruction touches: decoded once for each
 * instruction, evaluated for each sample of it. Pure.
 *
 * Backwards from the sample through the straight-line code just executed, the operand of an
 * instruction is known unless that instruction, or one between it and the sample, overwrites a
 * register of its address; forwards, until something does. Moves, additions and other arithmetic on
 * known values, and reloads from the copied stack are followed, so that the address two
 * instructions later is known too; backwards, what can be undone is undone: before `add $8,%rax`
 * the register held 8 less.
 *
 * A plan is a short program of steps (operands/operand_step.h) that runs on the registers of a
 * sample, each known or unknown.
 */
#ifndef SD_OPERAND_PLAN_H
#define SD_OPERAND_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "instruction/insn_decode.h"
#include "operands/operand_step.h"
#include "trace/event.h"

#define SD_OPERANDS 48       /* of a plan, the nearest to the sample first */
#define SD_OPERAND_STEPS 256 /* of a plan */

struct sd_operand {
	uint64_t ip;   /* of its instruction */
	uint32_t size; /* bytes; of a string instruction one element; 0 unknown */
	unsigned reads : 1, writes : 1;
	unsigned locked : 1;        /* one atomic access: lock prefix, xchg with memory, LSE,
				       exclusive pair */
	unsigned streams : 1;       /* non-temporal */
	unsigned thread_local_ : 1; /* through fs or gs: a thread's own; its address is unknown */
	unsigned unknown : 1;       /* it accesses memory, at an address that no sample tells */
	/* sure: it has been, or will be, executed whenever the sampled instruction is: of its basic
	 * block. Else it lies in the innermost loop and may be skipped, or touches only what a
	 * mask says. */
	unsigned sure : 1;
	unsigned in_loop : 1; /* of the innermost loop around the sample */
	/* bytes from one pass of the innermost loop to the next, as a few passes with invented
	 * values have it; 0 none, unknown, or seen to go around. An index that a mask wraps seldom
	 * may have one. */
	int64_t stride;
};

struct sd_operand_plan {
	uint64_t ip;
	uint64_t loop, loop_end; /* first byte of the innermost loop around ip, and behind its last;
				    0, 0: none */
	struct sd_operand operand[SD_OPERANDS];
	unsigned n;
	unsigned decoded; /* instructions looked at; 0: no code, or no instruction that is known */
	unsigned unseen : 1; /* the loop is longer than what was looked at, or has a call or an
				indirect jump in it: it touches more than is listed */
	/* Steps before `sampled` were executed before the sample, those behind it, and before
	 * `certain`, are executed after it; those behind `certain` may be. */
	uint16_t n_steps, sampled, certain;
	uint8_t stack_register;
	struct sd_operand_step step[SD_OPERAND_STEPS];
};

/* The step that has the address of an operand, where that is a register, maybe an index, and a
 * number from 0 up; NULL: it is another. */
const struct sd_operand_step *sd_operand_plan_address(
	const struct sd_operand_plan *p, unsigned operand);

/* That where the address is a number: `imm`. NULL: it is another. */
const struct sd_operand_step *sd_operand_plan_fixed(
	const struct sd_operand_plan *p, unsigned operand);

/* Is there an index in it? */
int sd_operand_plan_indexed(const struct sd_operand_step *address);

/*
 * `code`: n bytes from address `at`, which contains ip; `start`: address of the function's first
 * instruction when known and within the code, else 0 (then instruction boundaries before ip are
 * found by decoding from several offsets that agree). Where start is given the code should end
 * where the function does: a jump into the sampled block from behind what is given is not seen,
 * one of another function is taken for one. It is read from
 * SD_OPERAND_CODE_BYTES before ip to as many behind it.
 */
#define SD_OPERAND_CODE_BYTES 4096
void sd_operand_plan_make(struct sd_operand_plan *out, enum sd_insn_decode_machine machine,
	uint64_t at, const unsigned char *code, size_t n, uint64_t start, uint64_t ip);

struct sd_operand_access {
	uint64_t address;
	const struct sd_operand *operand; /* of the plan */
	/* operand->sure, and the address does not depend on stack bytes that a store to an unknown
	 * address might have changed in between */
	unsigned sure : 1;
	unsigned before : 1; /* as it was executed last before the sample, else next after it */
	unsigned crosses_line : 1; /* its bytes lie in two lines of 64 bytes: locked, it is a split
				      lock */
};

/* Evaluates a plan for one sample: at most SD_OPERANDS accesses; returns how many have an address.
 * `stack`: n bytes from stack_at (the stack pointer of regs where 0). */
unsigned sd_operand_plan_evaluate(const struct sd_operand_plan *p, const struct sd_regs *regs,
	uint64_t stack_at, const unsigned char *stack, size_t n,
	struct sd_operand_access out[SD_OPERANDS]);

#endif
