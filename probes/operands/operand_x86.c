#include "operands/operand_x86.h"

#include <string.h>

/* what a function may change, by the ABI */
#define CALLER_SAVED \
	(BIT(AX) | BIT(CX) | BIT(DX) | BIT(SI) | BIT(DI) | BIT(R8) | BIT(R9) | BIT(R10) | BIT(R11))

/* The memory operand of the first access is written as well; its value is in `reg`. */
static void store_back(struct sd_operand_x86 *d, uint8_t reg)
{
	struct sd_operand_step *const s = sd_operand_insn_add(d->out, SD_OPERAND_STORE, reg, ZERO);
	const struct sd_operand_step *load = d->out->step;

	while (load->access != 0)
		load++;
	*s = *load;
	s->what = SD_OPERAND_STORE;
	s->dst = reg;
	d->out->access[0].writes = 1;
}

/* Register that holds operand `o`'s value: its own, or TEMP2, filled by steps that are added
 * here. */
static uint8_t value_of(struct sd_operand_x86 *d, const cs_x86_op *o)
{
	const struct sd_operand_part p = sd_operand_x86_part(o->reg);

	switch (o->type) {
	case X86_OP_IMM:
		sd_operand_insn_add(d->out, SD_OPERAND_ADD, TEMP2, ZERO)->imm = o->imm;
		return TEMP2;
	case X86_OP_REG:
		return p.width && !p.high ? p.reg : NEVER;
	case X86_OP_MEM:
		sd_operand_x86_access(d, o, o->size <= 8 ? SD_OPERAND_LOAD : SD_OPERAND_READ,
			o->size <= 8 ? TEMP2 : ZERO, 1, 0);
		return o->size <= 8 ? TEMP2 : NEVER;
	default:
		return NEVER;
	}
}

/* Operand `o` becomes register `from`, of its width. */
static void assign(struct sd_operand_x86 *d, const cs_x86_op *o, uint8_t from)
{
	const struct sd_operand_part p = sd_operand_x86_part(o->reg);

	if (o->type == X86_OP_MEM)
		sd_operand_x86_access(d, o, SD_OPERAND_STORE, from, 0, 1);
	else if (p.high)
		sd_operand_insn_forget(d->out, BIT(p.reg));
	else if (p.width)
		sd_operand_insn_add(d->out, SD_OPERAND_ADD, p.reg, from)->width = p.width;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void move(struct sd_operand_x86 *d)
{
	assign(d, &d->x->operands[0], value_of(d, &d->x->operands[1]));
}

static void extend(struct sd_operand_x86 *d)
{
	const cs_x86_op *const to = &d->x->operands[0], *const of = &d->x->operands[1];
	const struct sd_operand_part p = sd_operand_x86_part(to->reg);
	const uint8_t from = value_of(d, of);
	struct sd_operand_step *s;

	if (d->in->id == X86_INS_MOVZX) {
		s = sd_operand_insn_add(d->out, SD_OPERAND_AND, p.reg, from);
		s->imm = of->size == 1 ? 0xff : 0xffff;
	} else {
		s = sd_operand_insn_add(d->out, SD_OPERAND_SIGN, p.reg, from);
		s->shift = of->size;
	}
	s->width = p.width;
}

/* Adds the steps of operand 0 OP= operand 1, or imm, where operand 0 is a register or memory. */
static void compute(
	struct sd_operand_x86 *d, enum sd_operand_do what, const cs_x86_op *with, int64_t imm)
{
	const cs_x86_op *const to = &d->x->operands[0];
	const struct sd_operand_part p = sd_operand_x86_part(to->reg);
	uint8_t reg = p.reg, index = ZERO;
	struct sd_operand_step *s;

	if (with && with->type == X86_OP_IMM)
		imm = with->imm;
	else if (with)
		index = value_of(d, with);
	if (to->type == X86_OP_MEM) {
		sd_operand_x86_access(d, to, SD_OPERAND_LOAD, TEMP, 1, 0);
		reg = TEMP;
	} else if (p.high) {
		sd_operand_insn_forget(d->out, BIT(p.reg));
		return;
	}
	s = sd_operand_insn_add(d->out, what, reg, reg);
	s->width = to->size;
	if (what == SD_OPERAND_SUB &&
		index == ZERO) { /* a constant less, so that it can be undone */
		s->what = SD_OPERAND_ADD;
		imm = (int64_t)(0 - (uint64_t)imm);
	}
	s->imm = imm;
	s->index = index;
	if (what == SD_OPERAND_XOR && index == reg) { /* 0, whatever it was */
		s->what = SD_OPERAND_ADD;
		s->base = s->index = ZERO;
	}
	if (to->type == X86_OP_MEM)
		store_back(d, TEMP);
}

static void shift(struct sd_operand_x86 *d, enum sd_operand_do what)
{
	const cs_x86_op *const by = &d->x->operands[1];
	const unsigned size = d->x->operands[0].size;

	compute(d, what, NULL, by->type == X86_OP_IMM ? by->imm & (size == 8 ? 63 : 31) : 0);
	if (d->x->op_count < 2 || by->type != X86_OP_IMM) { /* by cl, or by the 1 of its code */
		for (unsigned i = 0; i < d->out->n; i++) {
			struct sd_operand_step *const s = &d->out->step[i];

			if (s->what != what)
				continue;
			if (d->x->op_count < 2)
				s->imm = 1;
			else
				s->base = NEVER;
		}
	}
}

static void negate(struct sd_operand_x86 *d)
{
	compute(d, SD_OPERAND_SUB, NULL, 0);
	for (unsigned i = 0; i < d->out->n; i++)
		if (d->out->step[i].what == SD_OPERAND_ADD) {
			d->out->step[i].what = SD_OPERAND_SUB;
			d->out->step[i].index = d->out->step[i].base;
			d->out->step[i].base = ZERO;
		}
}

static void multiply(struct sd_operand_x86 *d)
{
	const cs_x86_op *const o = d->x->operands;
	const struct sd_operand_part p = sd_operand_x86_part(o[0].reg);
	const uint8_t base = value_of(d, &o[d->x->op_count - 2]);
	struct sd_operand_step *s;
	uint8_t index = ZERO;

	if (o[d->x->op_count - 1].type != X86_OP_IMM)
		index = value_of(d, &o[d->x->op_count - 1]);
	s = sd_operand_insn_add(d->out, SD_OPERAND_MUL, p.reg, base);
	s->width = p.width;
	s->index = index;
	s->imm = index == ZERO ? o[d->x->op_count - 1].imm : 0;
}

static void load_address(struct sd_operand_x86 *d)
{
	const struct sd_operand_part p = sd_operand_x86_part(d->x->operands[0].reg);
	struct sd_operand_step *const s = sd_operand_insn_add(d->out, SD_OPERAND_ADD, p.reg, ZERO);

	sd_operand_x86_address(d, s, &d->x->operands[1]);
	s->width = p.width;
}

static void add_to_sp(struct sd_operand_x86 *d, int64_t bytes)
{
	sd_operand_insn_add(d->out, SD_OPERAND_ADD, SP, SP)->imm = bytes;
}

/* An access of `size` at the stack pointer, beside another operand. */
static void access_stack(
	struct sd_operand_x86 *d, enum sd_operand_do what, uint8_t reg, unsigned size)
{
	struct sd_operand_step *const s = sd_operand_insn_add(d->out, what, reg, SP);

	sd_operand_insn_access(d->out, s, size, what == SD_OPERAND_LOAD, what == SD_OPERAND_STORE);
}

static void push(struct sd_operand_x86 *d)
{
	const unsigned size = d->x->operands[0].size == 2 ? 2 : 8;
	uint8_t from = value_of(d, &d->x->operands[0]);

	if (from == SP) {
		sd_operand_insn_add(d->out, SD_OPERAND_ADD, TEMP, SP);
		from = TEMP;
	}
	add_to_sp(d, -(int64_t)size);
	access_stack(d, SD_OPERAND_STORE, from, size);
}

static void pop(struct sd_operand_x86 *d)
{
	const unsigned size = d->x->operands[0].size == 2 ? 2 : 8;

	access_stack(d, SD_OPERAND_LOAD, TEMP, size);
	add_to_sp(d, size);
	assign(d, &d->x->operands[0], TEMP);
}

static void leave(struct sd_operand_x86 *d)
{
	sd_operand_insn_add(d->out, SD_OPERAND_ADD, SP, BP);
	access_stack(d, SD_OPERAND_LOAD, TEMP, 8);
	add_to_sp(d, 8);
	sd_operand_insn_add(d->out, SD_OPERAND_ADD, BP, TEMP);
}

static void call(struct sd_operand_x86 *d)
{
	const cs_x86_op *const to = &d->x->operands[0];
	struct sd_operand_step *s;

	if (to->type == X86_OP_MEM)
		sd_operand_x86_access(d, to, SD_OPERAND_READ, ZERO, 1, 0);
	/* the callee has popped it again when it returns */
	s = sd_operand_insn_add(d->out, SD_OPERAND_WRITE, ZERO, SP);
	s->imm = -8;
	sd_operand_insn_access(d->out, s, 8, 0, 1);
	sd_operand_insn_add(d->out, SD_OPERAND_FORGET_STACK, ZERO, ZERO);
	sd_operand_insn_forget(d->out, CALLER_SAVED);
	d->out->call = 1;
}

static void exchange(struct sd_operand_x86 *d)
{
	const cs_x86_op *o = d->x->operands;
	const int memory = o[1].type == X86_OP_MEM ? 1 : o[0].type == X86_OP_MEM ? 0 : -1;
	const struct sd_operand_part p = sd_operand_x86_part(o[memory == 1 ? 0 : 1].reg),
				     q = sd_operand_x86_part(o[0].reg);

	if (memory < 0) {
		if (p.high || q.high) {
			sd_operand_insn_forget(d->out, BIT(p.reg) | BIT(q.reg));
			return;
		}
		sd_operand_insn_add(d->out, SD_OPERAND_ADD, TEMP, q.reg);
		sd_operand_insn_add(d->out, SD_OPERAND_ADD, q.reg, p.reg)->width = q.width;
		sd_operand_insn_add(d->out, SD_OPERAND_ADD, p.reg, TEMP)->width = p.width;
		return;
	}
	d->locked = 1;
	sd_operand_x86_access(d, &o[memory], SD_OPERAND_LOAD, TEMP, 1, 0);
	store_back(d, p.high ? NEVER : p.reg);
	assign(d, &o[!memory], TEMP);
}

static void exchange_add(struct sd_operand_x86 *d)
{
	const cs_x86_op *const o = d->x->operands;
	const struct sd_operand_part p = sd_operand_x86_part(o[1].reg);

	if (o[0].type != X86_OP_MEM) {
		sd_operand_insn_forget(d->out, BIT(p.reg) | BIT(sd_operand_x86_part(o[0].reg).reg));
		return;
	}
	sd_operand_x86_access(d, &o[0], SD_OPERAND_LOAD, TEMP, 1, 0);
	sd_operand_insn_add(d->out, SD_OPERAND_ADD, TEMP2, TEMP)->index = p.high ? NEVER : p.reg;
	store_back(d, TEMP2);
	assign(d, &o[1], TEMP);
}

static void sign_extend_a(struct sd_operand_x86 *d)
{
	struct sd_operand_step *const s = sd_operand_insn_add(d->out, SD_OPERAND_SIGN, AX, AX);

	s->width = d->in->id == X86_INS_CDQE ? 8 : 4;
	s->shift = s->width / 2;
}

static void ret(struct sd_operand_x86 *d)
{
	access_stack(d, SD_OPERAND_LOAD, TEMP, 8);
	add_to_sp(d, 8 + (d->x->op_count ? d->x->operands[0].imm : 0));
}

/* 0: it is none of those whose values are followed. */
static int do_known(struct sd_operand_x86 *d)
{
	static const struct {
		uint16_t id;
		void (*how)(struct sd_operand_x86 *d);
	} plain[] = {
		{X86_INS_MOV, move},
		{X86_INS_MOVABS, move},
		{X86_INS_MOVNTI, move},
		{X86_INS_MOVZX, extend},
		{X86_INS_MOVSX, extend},
		{X86_INS_MOVSXD, extend},
		{X86_INS_LEA, load_address},
		{X86_INS_NEG, negate},
		{X86_INS_IMUL, multiply},
		{X86_INS_CDQE, sign_extend_a},
		{X86_INS_CWDE, sign_extend_a},
		{X86_INS_PUSH, push},
		{X86_INS_POP, pop},
		{X86_INS_LEAVE, leave},
		{X86_INS_CALL, call},
		{X86_INS_RET, ret},
		{X86_INS_XCHG, exchange},
		{X86_INS_XADD, exchange_add},
	};
	static const struct {
		uint16_t id;
		uint8_t what, operands;
		int8_t imm;
	} computed[] = {
		{X86_INS_ADD, SD_OPERAND_ADD, 2, 0},
		{X86_INS_SUB, SD_OPERAND_SUB, 2, 0},
		{X86_INS_AND, SD_OPERAND_AND, 2, 0},
		{X86_INS_OR, SD_OPERAND_OR, 2, 0},
		{X86_INS_XOR, SD_OPERAND_XOR, 2, 0},
		{X86_INS_INC, SD_OPERAND_ADD, 1, 1},
		{X86_INS_DEC, SD_OPERAND_ADD, 1, -1},
		{X86_INS_NOT, SD_OPERAND_XOR, 1, -1},
	};
	static const struct {
		uint16_t id;
		uint8_t what;
	} shifted[] = {
		{X86_INS_SHL, SD_OPERAND_SHL},
		{X86_INS_SAL, SD_OPERAND_SHL},
		{X86_INS_SHR, SD_OPERAND_SHR},
		{X86_INS_SAR, SD_OPERAND_SAR},
	};
	const unsigned id = d->in->id;

	if (sd_operand_x86_string(d))
		return 1;
	for (int i = 0; i < d->x->op_count; i++) /* segments, vectors and the like */
		if (d->x->operands[i].type == X86_OP_REG &&
			!sd_operand_x86_part(d->x->operands[i].reg).width)
			return 0;
	if (id == X86_INS_IMUL && d->x->op_count < 2)
		return 0;
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (plain[i].id == id)
			return plain[i].how(d), 1;
	for (size_t i = 0; i < sizeof computed / sizeof *computed; i++)
		if (computed[i].id == id)
			return compute(d, (enum sd_operand_do)computed[i].what,
				       computed[i].operands == 2 ? &d->x->operands[1] : NULL,
				       computed[i].imm),
			       1;
	for (size_t i = 0; i < sizeof shifted / sizeof *shifted; i++)
		if (shifted[i].id == id)
			return shift(d, (enum sd_operand_do)shifted[i].what), 1;
	return 0;
}

void sd_operand_x86(struct sd_operand_insn *out, csh handle, const cs_insn *in)
{
	struct sd_operand_x86 d = {.out = out, .handle = handle, .in = in, .x = &in->detail->x86};
	const char *const m = in->mnemonic;

	*out = (struct sd_operand_insn){.ip = in->address, .length = in->size};
	d.locked = d.x->prefix[0] == X86_PREFIX_LOCK;
	if (!do_known(&d)) {
		out->n = out->n_accesses = 0;
		sd_operand_x86_other(&d);
	}
	if (strstr(m, "movnt") && !strstr(m, "movntdqa") && out->n_accesses)
		out->access[0].streams = 1;
}
