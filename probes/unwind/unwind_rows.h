/*
 * Unwind tables (.eh_frame, .debug_frame) as rows: how to find the caller's registers at an
 * address. A row is computed once; applying it takes a few loads.
 */
#ifndef SD_UNWIND_ROWS_H
#define SD_UNWIND_ROWS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/frame_registers.h"

enum sd_rule_kind {
	SD_RULE_SAME,    /* as in the callee */
	SD_RULE_UNKNOWN, /* lost; for the return address: no caller */
	SD_RULE_AT,      /* in memory at CFA + n */
	SD_RULE_IS,      /* CFA + n */
	SD_RULE_REG,     /* register `reg` + n */
	SD_RULE_AT_EXPR, /* in memory at the value of expression n */
	SD_RULE_IS_EXPR, /* the value of expression n */
};

struct sd_rule {
	uint16_t kind, reg;
	int32_t n;
};

struct sd_row {
	struct sd_rule cfa;           /* REG or IS_EXPR */
	struct sd_rule rule[SD_KEPT]; /* of sd_frame_arch.kept */
	uint16_t signal;  /* signal frame made by the kernel: its caller was interrupted */
	uint16_t guessed; /* of the code (code_rows.h), not of a table */
};

struct sd_unwind_rows {
	const struct sd_frame_arch *arch;
	Dwarf_CFI *eh, *debug;
	struct sd_expr {
		const Dwarf_Op *op; /* borrowed from the tables */
		size_t n;
	} * expr; /* owned */
	size_t n_expr, size_expr;
};

/* A frame's registers; for the callee of the next step `sp` is its CFA. */
struct sd_framestate {
	uint64_t pc;
	uint64_t reg[SD_FRAME_REGS];
	uint64_t valid; /* bit i: reg[i] is known */
};

/* A copy of a stack: [at, at + size). */
struct sd_stackcopy {
	const unsigned char *byte;
	uint64_t at;
	size_t size;
};

/* 0; -ERANGE: the copy ends before it, and the stack may go on; -ENOENT: it is elsewhere. */
int sd_stackcopy_load(const struct sd_stackcopy *s, uint64_t address, uint64_t *value);

/* The row for a file address. 0, or -ENOENT: not in the tables. */
int sd_unwind_rows_row(struct sd_unwind_rows *c, uint64_t vaddr, struct sd_row *out);

/* Steps from a frame to its caller's. 1: done; 0: this was the outermost; -ENOENT: a needed value
 * is unknown; -ERANGE: the return address stands behind the copy's end. */
int sd_unwind_rows_step(const struct sd_unwind_rows *c, const struct sd_row *row,
	const struct sd_stackcopy *stack, struct sd_framestate *f);

void sd_unwind_rows_close(
	struct sd_unwind_rows *c); /* closes eh; accepts the zeroed value, leaves it */

#endif
