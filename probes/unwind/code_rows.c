#include "unwind/code_rows.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

/* Most instructions gone through for a row, and branches kept to be tried when a way ends. */
#define INSTRUCTIONS 1024
#define BRANCHES 32
#define BEGINNING 32 /* instructions, among which a frame is made */
#define LONGEST 15   /* bytes of an instruction */

enum { RBX = 3, RBP = 6, RSP = 7, R12 = 12, R15 = 15, WORD = 8 };

/* The stack's end, at an instruction of a way, is `base`, a register's value at the row's
 * address, + at. */
struct way {
	uint64_t pc;
	uint32_t popped;  /* bit: DWARF number of a register that was taken off the stack */
	int32_t from[16]; /* of these: where, as `at` */
	int32_t at;
	int32_t pointer_at;                 /* POINTS: RBP is base + this */
	uint8_t base;                       /* RSP, or RBP once the stack's end was set from it */
	enum { OWN, POINTS, LOST } pointer; /* OWN: RBP is as at the row's address */
};

struct search {
	const struct sd_code_rows_from *from;
	csh cs;
	cs_insn *insn;
	struct way way, branch[BRANCHES];
	uint64_t been[INSTRUCTIONS]; /* n: instructions gone through, whatever the way */
	size_t n, n_branch;
};

enum outcome { GOES_ON, RETURNS, ENDS };

static int kept_number(unsigned reg)
{
	switch (reg) {
	case X86_REG_RBX:
		return RBX;
	case X86_REG_RBP:
		return RBP;
	case X86_REG_R12:
		return R12;
	case X86_REG_R13:
		return R12 + 1;
	case X86_REG_R14:
		return R12 + 2;
	case X86_REG_R15:
		return R15;
	default:
		return -1;
	}
}

static int is_register(const cs_x86_op *op, x86_reg reg)
{
	return op->type == X86_OP_REG && op->reg == reg;
}

/* The stack's end becomes the frame pointer + n. */
static enum outcome end_at_pointer(struct way *w, int32_t n)
{
	if (w->pointer == LOST || (w->pointer == OWN && w->popped))
		return ENDS;
	if (w->pointer == OWN)
		w->base = RBP;
	w->at = n + (w->pointer == OWN ? 0 : w->pointer_at);
	return GOES_ON;
}

static enum outcome pop(struct way *w, const cs_x86_op *op)
{
	const int number = op->type == X86_OP_REG ? kept_number(op->reg) : -1;

	if (op->size != WORD || is_register(op, X86_REG_RSP))
		return ENDS;
	if (number >= 0) {
		w->popped |= 1u << number;
		w->from[number] = w->at;
		w->pointer = number == RBP ? LOST : w->pointer;
	}
	w->at += WORD;
	return GOES_ON;
}

static int is_small(int64_t n)
{
	return n > -0x1000000 && n < 0x1000000;
}

/* An instruction sets the stack's end: to a sum with itself or with the frame pointer. */
static enum outcome set_end(struct way *w, unsigned id, const cs_x86 *x)
{
	const cs_x86_op *const by = &x->operands[1];
	const int is_sum = by->type == X86_OP_IMM && is_small(by->imm);
	const int is_lea =
		id == X86_INS_LEA && by->mem.index == X86_REG_INVALID && is_small(by->mem.disp);

	if (!is_small(w->at))
		return ENDS;
	if (is_lea && by->mem.base == X86_REG_RBP)
		return end_at_pointer(w, (int32_t)by->mem.disp);
	if (id == X86_INS_MOV && is_register(by, X86_REG_RBP))
		return end_at_pointer(w, 0);
	if (id == X86_INS_ADD && is_sum)
		w->at += (int32_t)by->imm;
	else if (id == X86_INS_SUB && is_sum)
		w->at -= (int32_t)by->imm;
	else if (is_lea && by->mem.base == X86_REG_RSP)
		w->at += (int32_t)by->mem.disp;
	else
		return ENDS;
	return GOES_ON;
}

static enum outcome jump(struct search *s, const cs_insn *i)
{
	const cs_x86_op *const to = &i->detail->x86.operands[0];

	if (i->detail->x86.op_count != 1 || to->type != X86_OP_IMM)
		return ENDS;
	if (i->id == X86_INS_JMP) {
		s->way.pc = (uint64_t)to->imm;
	} else if (s->n_branch < BRANCHES) {
		s->branch[s->n_branch] = s->way;
		s->branch[s->n_branch++].pc = (uint64_t)to->imm;
	}
	return GOES_ON;
}

static int writes(const cs_insn *i, csh cs, x86_reg reg)
{
	cs_regs read, written;
	uint8_t n_read, n_written;

	if (cs_regs_access(cs, i, read, &n_read, written, &n_written) != CS_ERR_OK)
		return 1;
	for (uint8_t k = 0; k < n_written; k++)
		if (written[k] == reg)
			return 1;
	return 0;
}

static int writes_any(const cs_insn *i, csh cs, const x86_reg *reg, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (writes(i, cs, reg[k]))
			return 1;
	return 0;
}

/* s->way.pc is behind the instruction already. */
static enum outcome follow(struct search *s, const cs_insn *i)
{
	static const x86_reg end[] = {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL};
	static const x86_reg pointer[] = {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL};
	static const cs_x86_op frame_pointer = {
		.type = X86_OP_REG, .reg = X86_REG_RBP, .size = WORD};
	const cs_x86 *const x = &i->detail->x86;
	struct way *const w = &s->way;

	switch (i->id) {
	case X86_INS_RET:
		return x->op_count ? ENDS : RETURNS;
	case X86_INS_CALL:
		return GOES_ON;
	case X86_INS_POP:
		return pop(w, &x->operands[0]);
	case X86_INS_PUSH:
		w->at -= WORD;
		return x->operands[0].size == WORD ? GOES_ON : ENDS;
	case X86_INS_PUSHFQ:
		w->at -= WORD;
		return GOES_ON;
	case X86_INS_POPFQ:
		w->at += WORD;
		return GOES_ON;
	case X86_INS_LEAVE:
		return end_at_pointer(w, 0) == ENDS ? ENDS : pop(w, &frame_pointer);
	case X86_INS_UD2:
	case X86_INS_HLT:
	case X86_INS_INT3:
		return ENDS;
	default:
		break;
	}
	if (cs_insn_group(s->cs, i, CS_GRP_JUMP))
		return jump(s, i);
	if (x->op_count == 2 && is_register(&x->operands[0], X86_REG_RSP) &&
		writes(i, s->cs, X86_REG_RSP))
		return set_end(w, i->id, x);
	if (writes_any(i, s->cs, end, sizeof end / sizeof *end))
		return ENDS;
	if (writes_any(i, s->cs, pointer, sizeof pointer / sizeof *pointer)) {
		w->pointer = i->id == X86_INS_MOV && is_register(&x->operands[1], X86_REG_RSP)
				     ? POINTS
				     : LOST;
		w->pointer_at = w->at;
	}
	return GOES_ON;
}

static int was_there(const struct search *s, uint64_t pc)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->been[i] == pc)
			return 1;
	return 0;
}

static enum outcome go_on(struct search *s)
{
	unsigned char code[LONGEST];
	const uint8_t *at = code;
	size_t left;

	enum outcome is;

	if (was_there(s, s->way.pc))
		return ENDS;
	s->been[s->n++] = s->way.pc;
	left = s->from->code(s->from->ctx, s->way.pc, code, sizeof code);
	if (!left || !cs_disasm_iter(s->cs, &at, &left, &s->way.pc, s->insn))
		return ENDS;
	is = follow(s, s->insn);
	/* behind the end of the function: what it called last does not return */
	return is == GOES_ON && s->from->end && s->way.pc == s->from->end ? ENDS : is;
}

/* The saved ones stand where they are popped, as seen from the caller's stack, but for those that
 * are pushed on the way only. */
static void make_row(const struct sd_frame_arch *a, const struct way *w, struct sd_row *out)
{
	const int32_t cfa = w->at + WORD;

	memset(out, 0, sizeof *out); /* rows are compared by their bytes */
	out->guessed = 1;
	out->cfa.kind = SD_RULE_REG;
	out->cfa.reg = w->base;
	out->cfa.n = cfa;
	for (size_t i = 0; i < a->n_kept; i++) {
		struct sd_rule *const r = &out->rule[i];

		if (a->kept[i] == a->ra) {
			r->kind = SD_RULE_AT;
			r->n = -WORD;
		} else if (a->kept[i] == a->sp) {
			r->kind = SD_RULE_IS;
		} else if (w->popped >> a->kept[i] & 1 &&
			   (w->base != RSP || w->from[a->kept[i]] >= 0)) {
			r->kind = SD_RULE_AT;
			r->n = w->from[a->kept[i]] - cfa;
		}
	}
}

/* The frame that the function's beginning makes, by one subtraction from the stack's end: behind it
 * nothing is put there until it returns. The instruction at the row's address is behind that. */
static enum outcome begin(struct search *s, uint64_t pc)
{
	s->n = s->n_branch = 0;
	s->way = (struct way){.pc = s->from->start, .base = RSP};
	while (s->n < BEGINNING && s->way.pc < pc) {
		const int32_t before = s->way.at;

		if (go_on(s) != GOES_ON || s->insn->id == X86_INS_CALL)
			return ENDS;
		if (s->insn->id != X86_INS_SUB || s->way.at >= before)
			continue;
		/* as seen from there, with the caller's frame pointer beside the return address */
		s->way.at = -s->way.at;
		s->way.popped = 1u << RBP;
		s->way.from[RBP] = s->way.at - WORD;
		return s->way.pc <= pc ? RETURNS : ENDS;
	}
	return ENDS;
}

int sd_code_rows_row(const struct sd_frame_arch *arch, const struct sd_code_rows_from *from,
	uint64_t pc, struct sd_row *out)
{
	struct search s = {.from = from, .way = {.pc = pc, .base = RSP}};
	enum outcome is = ENDS;

	if (!arch || arch->machine != EM_X86_64)
		return -ENOENT;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &s.cs) != CS_ERR_OK)
		return -ENOMEM;
	cs_option(s.cs, CS_OPT_DETAIL, CS_OPT_ON);
	s.insn = cs_malloc(s.cs);
	while (s.insn && s.n < INSTRUCTIONS) {
		is = go_on(&s);
		if (is == RETURNS || (is == ENDS && !s.n_branch))
			break;
		if (is == ENDS)
			s.way = s.branch[--s.n_branch];
	}
	if (is != RETURNS && s.insn && from->start)
		is = begin(&s, pc);
	if (is == RETURNS)
		make_row(arch, &s.way, out);
	if (s.insn)
		cs_free(s.insn, 1);
	cs_close(&s.cs);
	return is == RETURNS ? 0 : -ENOENT;
}
