/*
 * The table of stacks in a record's JSON.
 */
#ifndef SD_ENCODE_STACKS_H
#define SD_ENCODE_STACKS_H

#include <stdio.h>

#include "record/stacks.h"

/*
 * An object: "texts", and "frames" and "nodes" as flat lists of numbers, SD_STACKS_FRAME_NUMBERS
 * and SD_STACKS_NODE_NUMBERS each; of the root nothing is written, nor of what was written before.
 * Returns as in encode_field.h.
 */
#define SD_STACKS_FRAME_NUMBERS 6u /* function, file, module, line, flags, offset */
#define SD_STACKS_NODE_NUMBERS 2u  /* parent, frame */

/* How much of a table was written before; zeroed: nothing. */
struct sd_stacks_count {
	size_t text, frame, node;
};
int sd_encode_stacks(FILE *f, const struct sd_stacks *stacks, const struct sd_stacks_count *before);

#endif
