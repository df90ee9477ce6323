/*
 * Frames in which threads start: a stack whose copy ends in a library's code that starts them (of
 * glibc __libc_start_call_main(), start_thread()) goes on as whole stacks did from there.
 */
#ifndef SD_STACK_STARTS_H
#define SD_STACK_STARTS_H

#include "record/stacks.h"

#define SD_STACK_STARTS 64

/* Zeroed is empty. Frames and nodes are those of the record's stacks. */
struct sd_stack_starts {
	size_t n;
	struct {
		unsigned frame, node; /* node 0: such a frame has several callers */
	} at[SD_STACK_STARTS];
};

/* `node` is a caller of a whole stack. Kept if its own caller is of the same file, and at most the
 * second frame of the stack: those of a library around the program's code. */
void sd_stack_starts_learn(
	struct sd_stack_starts *s, const struct sd_stacks *stacks, unsigned node);

/* The node that every whole stack had for this frame; 0: none, or several. */
unsigned sd_stack_starts_find(const struct sd_stack_starts *s, unsigned frame);

#endif
