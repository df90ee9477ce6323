/*
 * Assembles a program of a few instructions for the kernel: one call an instruction, and jumps to
 * labels that come later.
 */
#ifndef SD_BPF_ASSEMBLER_H
#define SD_BPF_ASSEMBLER_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#define LABELS 12
#define JUMPS 24

struct code {
	struct bpf_insn *insn;
	size_t n, label[LABELS], n_jump;
	struct {
		size_t at, label;
	} jump[JUMPS];
};

static inline void add(
	struct code *c, unsigned op, unsigned dst, unsigned src, int off, int32_t imm)
{
	c->insn[c->n++] = (struct bpf_insn){.code = (uint8_t)op,
		.dst_reg = dst & 15,
		.src_reg = src & 15,
		.off = (int16_t)off,
		.imm = imm};
}

static inline void move(struct code *c, unsigned to, unsigned from)
{
	add(c, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

static inline void set(struct code *c, unsigned to, int32_t value)
{
	add(c, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}

static inline void with(struct code *c, unsigned op, unsigned to, int32_t value)
{
	add(c, BPF_ALU64 | op | BPF_K, to, 0, 0, value);
}

static inline void by(struct code *c, unsigned op, unsigned to, unsigned from)
{
	add(c, BPF_ALU64 | op | BPF_X, to, from, 0, 0);
}

static inline void wide(struct code *c, unsigned to, unsigned kind, uint64_t value)
{
	/* two of them are 0: NOLINTNEXTLINE(misc-redundant-expression) */
	add(c, BPF_LD | BPF_DW | BPF_IMM, to, kind, 0, (int32_t)(uint32_t)value);
	add(c, 0, 0, 0, 0, (int32_t)(uint32_t)(value >> 32));
}

static inline void load(struct code *c, unsigned size, unsigned to, unsigned from, int64_t off)
{
	add(c, BPF_LDX | size | BPF_MEM, to, from, (int)off, 0);
}

static inline void store(struct code *c, unsigned size, unsigned to, int off, unsigned from)
{
	add(c, BPF_STX | size | BPF_MEM, to, from, off, 0);
}

static inline void call(struct code *c, int32_t helper)
{
	add(c, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static inline void to(struct code *c, size_t label)
{
	c->jump[c->n_jump].at = c->n - 1;
	c->jump[c->n_jump++].label = label;
}

/* `op` BPF_JEQ...: to the label if so */
static inline void when(struct code *c, unsigned op, unsigned reg, int32_t value, size_t label)
{
	add(c, BPF_JMP | op | BPF_K, reg, 0, 0, value);
	to(c, label);
}

static inline void here(struct code *c, size_t label)
{
	c->label[label] = c->n;
}

static inline size_t finish(struct code *c)
{
	for (size_t i = 0; i < c->n_jump; i++)
		c->insn[c->jump[i].at].off =
			(int16_t)(c->label[c->jump[i].label] - c->jump[i].at - 1);
	return c->n;
}

#endif
