/*
 * The frames of a CPython thread in another process's memory. They lie in one piece, callers before
 * what they call: of what was read once, most frames need no reading of their own.
 */
#ifndef SD_PYTHON_STACK_H
#define SD_PYTHON_STACK_H

#include <stddef.h>
#include <stdint.h>

#define SD_PYTHON_STACK 2048u /* bytes that are read at once */

/* Zeroed has read nothing. */
struct sd_python_stack {
	uint64_t start;
	size_t n;
	unsigned char byte[SD_PYTHON_STACK];
};

/* The `size` bytes of the frame at an address; NULL: they cannot be read. Valid until the next
 * call. */
const unsigned char *sd_python_stack_frame(
	struct sd_python_stack *s, int pid, uint64_t frame, size_t size);

#endif
