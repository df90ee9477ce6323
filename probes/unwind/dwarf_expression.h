/*
 * DWARF expressions of unwind tables (PLT stubs, signal frames, realigned stacks).
 */
#ifndef SD_DWARF_EXPRESSION_H
#define SD_DWARF_EXPRESSION_H

#include "unwind/unwind_rows.h"

/* `cfa` is the value of DW_OP_call_frame_cfa, NULL: not known yet. 0, or -ENOENT: unknown operator
 * or value. */
int sd_dwarf_expression_eval(const struct sd_expr *expr, const struct sd_framestate *f,
	const struct sd_stackcopy *stack, const uint64_t *cfa, uint64_t *out);

#endif
