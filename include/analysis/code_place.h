/*
 * A code location for readers, from a node of the record's stacks. Unsanitized: whoever prints it
 * must sanitize it.
 */
#ifndef SD_CODE_PLACE_H
#define SD_CODE_PLACE_H

#include <stddef.h>

#include "record/stacks.h"

/* "increment() count.c:12", "libfoo.so+0x1234" into `out`; "unknown code" for node 0. */
void sd_code_place_text(const struct sd_stacks *s, unsigned node, char *out, size_t size);

/* The node and at most `most` of its callers, none above main(): "make() count.c:7 <- main()
 * count.c:30"; "" for node 0. */
void sd_code_place_callers(
	const struct sd_stacks *s, unsigned node, unsigned most, char *out, size_t size);

#endif
