/*
 * Unwind tables (.eh_frame, .debug_frame) as rows: for an address, how the caller's registers are
 * found. A row is made once; using it is a few loads.
 */
#ifndef SD_UNWIND_ROWS_H
#define SD_UNWIND_ROWS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/frame_registers.h"

enum sd_rule_kind {
	SD_RULE_SAME,    /* as in the callee */
	SD_RULE_UNKNOWN, /* lost; of the return address: there is no caller */
	SD_RULE_AT,      /* in memory at CFA + n */
	SD_RULE_IS,      /* CFA + n */
	SD_RULE_REG,     /* register `reg` + n */
	SD_RULE_AT_EXPR, /* in memory at what expression n yields */
	SD_RULE_IS_EXPR, /* what expression n yields */
};

struct sd_rule {
	uint16_t kind, reg;
	int32_t n;
};

struct sd_row {
	struct sd_rule cfa;           /* REG or IS_EXPR */
	struct sd_rule rule[SD_KEPT]; /* of sd_frame_arch.kept */
	uint32_t signal;              /* the kernel made this frame: its caller was interrupted */
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

/* The registers a frame has; `sp` is also its own CFA when it is the callee's. */
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

/* 0 or -ENOENT: outside of the copy. */
int sd_stackcopy_load(const struct sd_stackcopy *s, uint64_t address, uint64_t *value);

/* The row for the file's address. 0 or -ENOENT: the tables do not tell. */
int sd_unwind_rows_row(struct sd_unwind_rows *c, uint64_t vaddr, struct sd_row *out);

/* From a frame to its caller's. 1: done; 0: there is no caller, this was the outermost; -ENOENT:
 * what is needed is not known. */
int sd_unwind_rows_step(const struct sd_unwind_rows *c, const struct sd_row *row,
	const struct sd_stackcopy *stack, struct sd_framestate *f);

void sd_unwind_rows_close(
	struct sd_unwind_rows *c); /* closes eh; accepts the zeroed value, leaves it */

#endif
