#include "unwind/dwarf_expression.h"

#include <dwarf.h>
#include <errno.h>

enum { DEPTH = 32 };

struct machine {
	const struct sd_framestate *f;
	const struct sd_stackcopy *stack;
	const uint64_t *cfa;
	uint64_t value[DEPTH];
	size_t n;
};

static int push(struct machine *m, uint64_t v)
{
	if (m->n == DEPTH)
		return -ENOENT;
	m->value[m->n++] = v;
	return 0;
}

static int push_reg(struct machine *m, uint64_t reg, uint64_t offset)
{
	if (reg >= SD_FRAME_REGS || !(m->f->valid >> reg & 1))
		return -ENOENT;
	return push(m, m->f->reg[reg] + offset);
}

/* The top `n` are there. */
static int has(const struct machine *m, size_t n)
{
	return m->n >= n;
}

static int binary(struct machine *m, unsigned atom)
{
	uint64_t a, b, *const to = &m->value[m->n >= 2 ? m->n - 2 : 0];

	if (!has(m, 2))
		return -ENOENT;
	a = to[0];
	b = to[1];
	m->n--;
	switch (atom) {
	case DW_OP_plus:
		*to = a + b;
		break;
	case DW_OP_minus:
		*to = a - b;
		break;
	case DW_OP_mul:
		*to = a * b;
		break;
	case DW_OP_and:
		*to = a & b;
		break;
	case DW_OP_or:
		*to = a | b;
		break;
	case DW_OP_xor:
		*to = a ^ b;
		break;
	case DW_OP_shl:
		*to = b < 64 ? a << b : 0;
		break;
	case DW_OP_shr:
		*to = b < 64 ? a >> b : 0;
		break;
	case DW_OP_eq:
		*to = a == b;
		break;
	case DW_OP_ne:
		*to = a != b;
		break;
	case DW_OP_ge:
		*to = (int64_t)a >= (int64_t)b;
		break;
	case DW_OP_gt:
		*to = (int64_t)a > (int64_t)b;
		break;
	case DW_OP_le:
		*to = (int64_t)a <= (int64_t)b;
		break;
	case DW_OP_lt:
		*to = (int64_t)a < (int64_t)b;
		break;
	default:
		return -ENOENT;
	}
	return 0;
}

static int unary(struct machine *m, const Dwarf_Op *op)
{
	uint64_t *const top = &m->value[m->n ? m->n - 1 : 0];

	if (!has(m, 1))
		return -ENOENT;
	switch (op->atom) {
	case DW_OP_deref:
		return sd_stackcopy_load(m->stack, *top, top);
	case DW_OP_plus_uconst:
		*top += op->number;
		return 0;
	case DW_OP_neg:
		*top = 0 - *top;
		return 0;
	case DW_OP_not:
		*top = ~*top;
		return 0;
	case DW_OP_dup:
		return push(m, *top);
	case DW_OP_drop:
		m->n--;
		return 0;
	case DW_OP_over:
		return has(m, 2) ? push(m, m->value[m->n - 2]) : -ENOENT;
	default:
		return binary(m, op->atom);
	}
}

/* Constants come widened and signed by the library. */
static int one(struct machine *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(m, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_reg(m, op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(m, op->number);
	case DW_OP_bregx:
		return push_reg(m, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return m->cfa ? push(m, *m->cfa) : -ENOENT;
	case DW_OP_nop:
		return 0;
	default:
		return unary(m, op);
	}
}

int sd_dwarf_expression_eval(const struct sd_expr *expr, const struct sd_framestate *f,
	const struct sd_stackcopy *stack, const uint64_t *cfa, uint64_t *out)
{
	struct machine m = {.f = f, .stack = stack, .cfa = cfa};

	for (size_t i = 0; i < expr->n; i++)
		if (one(&m, &expr->op[i]) != 0)
			return -ENOENT;
	if (!m.n)
		return -ENOENT;
	*out = m.value[m.n - 1];
	return 0;
}
