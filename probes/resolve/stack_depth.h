/*
 * How much of its stack a sample must copy: what smaller copies would have shown of the stacks of a
 * run.
 */
#ifndef SD_STACK_DEPTH_H
#define SD_STACK_DEPTH_H

#include <stddef.h>
#include <stdint.h>

/* Copies that may be enough, smallest first. A switch copies half of what a sample does. */
#define SD_STACK_DEPTH_SIZES 4
extern const uint32_t sd_stack_depth_size[SD_STACK_DEPTH_SIZES];

/* Zeroed is empty. */
struct sd_stack_depth {
	struct sd_stack_depth_of {
		uint64_t all, enough[SD_STACK_DEPTH_SIZES];
	} samples, switches;
	/* seen so far. One switch of each may need more: the loader's wait for a page, say, whose
	 * outer callers are lost then, and no others. */
	unsigned runs;
};

/* A stack that a copy of sd_stack_depth_size[least] bytes shows as well; least ==
 * SD_STACK_DEPTH_SIZES: none of them. */
void sd_stack_depth_add(struct sd_stack_depth *d, int is_sample, unsigned least);

/* Bytes that a sample needs to copy, so that of samples and of switches hardly any lacks callers;
 * 0: more than these, or too few were seen. */
uint32_t sd_stack_depth_enough(const struct sd_stack_depth *d);

#endif
