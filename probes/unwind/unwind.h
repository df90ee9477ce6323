/*
 * From the registers and a copy of the stack of a sample to its callers.
 */
#ifndef SD_UNWIND_H
#define SD_UNWIND_H

#include "trace/event.h"
#include "unwind/unwind_rows.h"

/* What stands at addresses of the process. */
struct sd_codemap {
	const struct sd_frame_arch *arch;
	/* 1: *cfi and *row tell how to go on from there; 0: it is code without tables; -ENOENT: no
	 * code. *row is valid until the next call. */
	int (*row)(void *ctx, uint64_t pc, const struct sd_unwind_rows **cfi,
		const struct sd_row **row);
	/* 1: a call stands before pc; 0: none does; -ENOENT: its bytes are not known. */
	int (*follows_call)(void *ctx, uint64_t pc);
	void *ctx;
};

/*
 * pc[0] from the registers, then return addresses; of a frame that a signal interrupted the
 * address + 1, so that one less is in it as of all callers. How many, at most max, 0 without
 * registers; *whole: 1 when the last one is the outermost.
 */
size_t sd_unwind(const struct sd_codemap *map, const struct sd_regs *regs,
	const struct sd_stackcopy *stack, uint64_t *pc, size_t max, int *whole);

#endif
