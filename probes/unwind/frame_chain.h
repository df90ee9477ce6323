/*
 * The kernel's chain of a sample, which it reads by frame pointers, beside an unwinding by tables:
 * which of its return addresses the frame at hand has. It is right for as long as each frame
 * keeps its pointer: inside of the copy that is seen, beyond it the tables say so.
 */
#ifndef SD_FRAME_CHAIN_H
#define SD_FRAME_CHAIN_H

#include "unwind/unwind_rows.h"

struct sd_frame_chain {
	const uint64_t *pc; /* n, leaf first; borrowed */
	size_t n;
	size_t at;   /* pc[at] stands above the word that the frame pointer leads to */
	int in_step; /* that is so */
};

/* Begins at the innermost frame. A chain that does not agree with its registers is out of step. */
struct sd_frame_chain sd_frame_chain_begin(const struct sd_frame_arch *a,
	const struct sd_framestate *innermost, const uint64_t *pc, size_t n);

/* A step inside of the copy was made, to `up` from a frame with this frame pointer. */
void sd_frame_chain_step(struct sd_frame_chain *c, const struct sd_frame_arch *a,
	const struct sd_stackcopy *stack, uint64_t pointer, const struct sd_framestate *up);

/* The return address of a frame that keeps its pointer, behind the copy's end: 1, or 0: unknown. */
int sd_frame_chain_next(struct sd_frame_chain *c, const struct sd_frame_arch *a, uint64_t *pc);

/* Does the frame pointer lead to the saved one, and the return address stand above it? */
int sd_frame_chain_keeps(const struct sd_frame_arch *a, const struct sd_row *row);

#endif
