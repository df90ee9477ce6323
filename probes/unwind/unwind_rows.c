#include "unwind/unwind_rows.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/dwarf_expression.h"

enum { EXPR_MAX = 64 };

static int same_expr(const struct sd_expr *e, const Dwarf_Op *op, size_t n)
{
	return e->op == op && e->n == n;
}

/* Expression tables are the library's and live as long as they: only where they are is kept. */
static int keep_expr(struct sd_unwind_rows *c, const Dwarf_Op *op, size_t n, struct sd_rule *out)
{
	if (n > EXPR_MAX)
		return -ENOENT;
	if (c->n_expr == c->size_expr) {
		struct sd_expr *const more =
			realloc(c->expr, (c->size_expr * 2 + 16) * sizeof *more);

		if (!more)
			return -ENOENT;
		c->expr = more;
		c->size_expr = c->size_expr * 2 + 16;
	}
	out->n = (int32_t)c->n_expr;
	if (c->n_expr && same_expr(&c->expr[c->n_expr - 1], op, n)) {
		out->n--;
		return 0;
	}
	c->expr[c->n_expr++] = (struct sd_expr){.op = op, .n = n};
	return 0;
}

static int fits(uint64_t number)
{
	return (int64_t)number >= INT32_MIN && (int64_t)number <= INT32_MAX;
}

/* "register + offset" as the library says it. */
static int is_register(const Dwarf_Op *op, struct sd_rule *out)
{
	uint64_t reg, n;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		reg = op->atom - DW_OP_breg0;
		n = op->number;
	} else if (op->atom == DW_OP_bregx) {
		reg = op->number;
		n = op->number2;
	} else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		reg = op->atom - DW_OP_reg0;
		n = 0;
	} else if (op->atom == DW_OP_regx) {
		reg = op->number;
		n = 0;
	} else {
		return 0;
	}
	if (reg >= SD_FRAME_REGS || !fits(n))
		return 0;
	*out = (struct sd_rule){.kind = SD_RULE_REG, .reg = (uint16_t)reg, .n = (int32_t)n};
	return 1;
}

static int compile_cfa(struct sd_unwind_rows *c, Dwarf_Frame *frame, struct sd_rule *out)
{
	Dwarf_Op *op;
	size_t n;

	if (dwarf_frame_cfa(frame, &op, &n) != 0 || !n)
		return -ENOENT;
	/* "register + offset" lies in the frame, which is freed: one that is refused is not kept */
	if (n == 1)
		return is_register(op, out) ? 0 : -ENOENT;
	out->kind = SD_RULE_IS_EXPR;
	return keep_expr(c, op, n, out);
}

/* Translates dwarf_frame_register()'s answer, as its documentation in libdw.h lists it. */
static int compile_register(
	struct sd_unwind_rows *c, Dwarf_Frame *frame, int reg, struct sd_rule *out)
{
	Dwarf_Op mem[3], *op = NULL;
	size_t n = 0, used;
	int is_value;

	if (dwarf_frame_register(frame, reg, mem, &op, &n) != 0)
		return -ENOENT;
	out->kind = op ? SD_RULE_UNKNOWN : SD_RULE_SAME;
	if (!op || !n)
		return 0;
	is_value = n > 1 && op[n - 1].atom == DW_OP_stack_value;
	used = n - (is_value ? 1 : 0);
	if (used == 1 && !is_value && op[0].atom != DW_OP_call_frame_cfa && is_register(op, out))
		return op[0].atom >= DW_OP_breg0 && op[0].atom <= DW_OP_breg31 ? -ENOENT : 0;
	if (op[0].atom == DW_OP_call_frame_cfa &&
		(used == 1 ||
			(used == 2 && op[1].atom == DW_OP_plus_uconst && fits(op[1].number)))) {
		out->kind = is_value ? SD_RULE_IS : SD_RULE_AT;
		out->n = used == 2 ? (int32_t)op[1].number : 0;
		return 0;
	}
	out->kind = is_value ? SD_RULE_IS_EXPR : SD_RULE_AT_EXPR;
	/* a list on our own stack is one that the cases above should have known */
	return op == mem ? -ENOENT : keep_expr(c, op, used, out);
}

/*
 * Up to elfutils 0.192, DW_CFA_AARCH64_negate_ra_state is read as SPARC's window save, which has
 * the same number: registers then seem to be saved above the CFA, where no callee can save.
 */
static void without_windows(const struct sd_frame_arch *a, unsigned reg, struct sd_rule *rule)
{
	if (a->link && rule->kind == SD_RULE_AT && rule->n >= 0)
		*rule = (struct sd_rule){.kind = reg == a->sp ? SD_RULE_IS : SD_RULE_SAME};
}

static int compile(struct sd_unwind_rows *c, Dwarf_Frame *frame, struct sd_row *row)
{
	bool is_signal = false;
	int rc;

	*row = (struct sd_row){0};
	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) < 0)
		return -ENOENT;
	row->signal = is_signal;
	rc = compile_cfa(c, frame, &row->cfa);
	for (size_t i = 0; rc == 0 && i < c->arch->n_kept; i++) {
		if (compile_register(c, frame, c->arch->kept[i], &row->rule[i]) != 0)
			row->rule[i].kind = SD_RULE_UNKNOWN;
		without_windows(c->arch, c->arch->kept[i], &row->rule[i]);
	}
	return rc;
}

static int row_of(struct sd_unwind_rows *c, Dwarf_CFI *table, uint64_t vaddr, struct sd_row *out)
{
	Dwarf_Frame *frame = NULL;
	int rc;

	if (!table || dwarf_cfi_addrframe(table, vaddr, &frame) != 0)
		return -ENOENT;
	rc = compile(c, frame, out);
	free(frame);
	return rc;
}

int sd_unwind_rows_row(struct sd_unwind_rows *c, uint64_t vaddr, struct sd_row *out)
{
	if (!c->arch)
		return -ENOENT;
	return row_of(c, c->eh, vaddr, out) == 0 ? 0 : row_of(c, c->debug, vaddr, out);
}

/* The value of register `reg` in the caller; 0, -ENOENT or -ERANGE. */
static int value_of(const struct sd_unwind_rows *c, const struct sd_rule *r, unsigned reg,
	uint64_t cfa, const struct sd_stackcopy *stack, const struct sd_framestate *f,
	uint64_t *out)
{
	uint64_t at;

	switch ((enum sd_rule_kind)r->kind) {
	case SD_RULE_SAME:
		*out = f->reg[reg];
		return f->valid >> reg & 1 ? 0 : -ENOENT;
	case SD_RULE_AT:
		return sd_stackcopy_load(stack, cfa + (uint64_t)(int64_t)r->n, out);
	case SD_RULE_IS:
		*out = cfa + (uint64_t)(int64_t)r->n;
		return 0;
	case SD_RULE_REG:
		*out = f->reg[r->reg] + (uint64_t)(int64_t)r->n;
		return f->valid >> r->reg & 1 ? 0 : -ENOENT;
	case SD_RULE_IS_EXPR:
		return sd_dwarf_expression_eval(&c->expr[r->n], f, stack, &cfa, out);
	case SD_RULE_AT_EXPR:
		if (sd_dwarf_expression_eval(&c->expr[r->n], f, stack, &cfa, &at) != 0)
			return -ENOENT;
		return sd_stackcopy_load(stack, at, out);
	case SD_RULE_UNKNOWN:
		break;
	}
	return -ENOENT;
}

int sd_unwind_rows_step(const struct sd_unwind_rows *c, const struct sd_row *row,
	const struct sd_stackcopy *stack, struct sd_framestate *f)
{
	struct sd_framestate up = {0};
	uint64_t cfa;
	int back = -ENOENT;

	if (row->cfa.kind == SD_RULE_REG) {
		if (value_of(c, &row->cfa, row->cfa.reg, 0, stack, f, &cfa) != 0)
			return -ENOENT;
	} else if (sd_dwarf_expression_eval(&c->expr[row->cfa.n], f, stack, NULL, &cfa) != 0) {
		return -ENOENT;
	}
	if (row->rule[0].kind == SD_RULE_UNKNOWN)
		return 0;
	for (size_t i = 0; i < c->arch->n_kept; i++) {
		const unsigned reg = c->arch->kept[i];

		const int rc = value_of(c, &row->rule[i], reg, cfa, stack, f, &up.reg[reg]);

		if (rc == 0)
			up.valid |= UINT64_C(1) << reg;
		if (reg == c->arch->ra)
			back = rc;
	}
	if (back)
		return back;
	up.pc = up.reg[c->arch->ra] & c->arch->code;
	/* of x86-64 it is in memory; the caller's own one is found by the caller's row */
	if (!c->arch->link)
		up.valid &= ~(UINT64_C(1) << c->arch->ra);
	if (!(up.valid >> c->arch->sp & 1)) {
		up.reg[c->arch->sp] = cfa;
		up.valid |= UINT64_C(1) << c->arch->sp;
	}
	*f = up;
	return 1;
}

void sd_unwind_rows_close(struct sd_unwind_rows *c)
{
	if (c->eh)
		dwarf_cfi_end(c->eh);
	free(c->expr);
	*c = (struct sd_unwind_rows){0};
}
