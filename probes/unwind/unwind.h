/*
 * Unwinds a sample: from registers and a stack copy to its callers.
 */
#ifndef SD_UNWIND_H
#define SD_UNWIND_H

#include "trace/event.h"
#include "unwind/unwind_rows.h"

/* The code of the process. */
struct sd_codemap {
	const struct sd_frame_arch *arch;
	/* 1: *cfi and *row tell how to unwind from pc, `returns`: where a call returns to, whose
	 * code is before it; 0: code without unwind tables; -ENOENT: not code. *row is valid until
	 * the next call. */
	int (*row)(void *ctx, uint64_t pc, int returns, const struct sd_unwind_rows **cfi,
		const struct sd_row **row);
	/* 1: pc follows a call; 0: it does not; -ENOENT: unknown bytes. */
	int (*follows_call)(void *ctx, uint64_t pc);
	void *ctx;
};

/* The kernel's record of a thread's frames. */
struct sd_unwind_from {
	const struct sd_regs *regs;
	struct sd_stackcopy stack;
	const uint64_t *pointed; /* n_pointed: its chain by frame pointers, leaf first */
	size_t n_pointed;
	uint64_t *sp; /* NULL, or room for as many as pcs: the stack pointer of each frame inside of
			 the copy */
};

struct sd_unwound {
	size_t inside; /* pc[] of the copy; those after them are of the kernel's chain */
	/* 1: the last is the outermost; -ERANGE: what is known of the stack ends before it; else
	 * 0 */
	int whole;
};

/*
 * Stores pc[0] from the registers, then return addresses; for a frame interrupted by a signal its
 * address + 1, so that pc - 1 lies in the frame's code as for all callers. Behind the copy's end
 * they are those of the kernel's chain, where the tables say that the frames keep their pointers.
 * Returns how many, at most max, 0 without registers.
 */
size_t sd_unwind(const struct sd_codemap *map, const struct sd_unwind_from *from, uint64_t *pc,
	size_t max, struct sd_unwound *how);

#endif
