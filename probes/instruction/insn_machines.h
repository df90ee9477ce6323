/*
 * The decoders of the two machines, for insn_decode.c.
 */
#ifndef SD_INSN_MACHINES_H
#define SD_INSN_MACHINES_H

#include "instruction/insn_decode.h"

#define SD_INSN_X86_LONGEST 15

/* The parts of an instruction of x86-64. */
struct sd_insn_x86 {
	const unsigned char *code;
	size_t length;   /* bytes */
	size_t modrm;    /* where the ModRM byte stands; 0: there is none */
	size_t constant; /* where the constant or the branch's offset stands */
	unsigned map;    /* 0 one byte; 1 behind 0f, 2 0f 38, 3 0f 3a, 5 and 6 of EVEX */
	unsigned op, rex;
	int lock, rep, repne, wide16, vex; /* prefixes; vex: VEX or EVEX */
};

/* Fills *x and returns 0; -EINVAL: cut off, invalid in 64-bit mode, or of an extension that is not
 * known (XOP, SSE4a's insertions, APX). */
int sd_insn_x86_parse(struct sd_insn_x86 *x, const unsigned char *code, size_t n);

/* Is an operand in memory? */
static inline int sd_insn_x86_has_memory(const struct sd_insn_x86 *x)
{
	return x->modrm && x->code[x->modrm] >> 6 != 3;
}

struct sd_insn_decode sd_insn_x86_at(const unsigned char *code, size_t n);
struct sd_insn_decode sd_insn_aarch64_at(const unsigned char *code, size_t n);

#endif
