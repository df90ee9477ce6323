/*
 * Rows of code that has no unwind tables (musl's, assembly, stripped of them): the function's own
 * way to its return says where the frame is.
 */
#ifndef SD_CODE_ROWS_H
#define SD_CODE_ROWS_H

#include "unwind/unwind_rows.h"

struct sd_code_rows_from {
	/* Copies up to max bytes of code at pc; returns how many, 0: none are known. */
	size_t (*code)(void *ctx, uint64_t pc, unsigned char *out, size_t max);
	void *ctx;
	uint64_t end; /* of the function; 0 unknown */
	/* of a function whose frame is as its beginning makes it up to the end, as HotSpot compiles
	 * them; 0 else, or unknown */
	uint64_t start;
};

/*
 * Goes through the code from the instruction at pc to a return, past calls and along branches,
 * counting what it takes off the stack. A guess: calls that never return are gone past as well, so
 * that whoever uses it checks the return address. Where that leads nowhere, which thousands of
 * instructions of inlined loops do, and `start` is known: what the function's beginning puts on the
 * stack. 0; -ENOENT: no way to a return was found, or not
 * x86-64; -ENOMEM.
 */
int sd_code_rows_row(const struct sd_frame_arch *arch, const struct sd_code_rows_from *from,
	uint64_t pc, struct sd_row *out);

#endif
