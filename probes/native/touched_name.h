/*
 * Names a cache line: its variables, the stack of a thread, or the mapping that it is in.
 */
#ifndef SD_TOUCHED_NAME_H
#define SD_TOUCHED_NAME_H

#include "native/touched_line.h"

/* Sets the name of *to, 0 where it has none, and the objects that lie in it; bit i of `touched` is
 * byte i. `row`, of the record's lines: its own; of a stack's line the frame is asked for
 * (stack_frames.h). 0 or -ENOMEM. */
int sd_touched_name_add(const struct sd_native_watch *w, const struct sd_timeline *t,
	const struct sd_touched_line *l, uint64_t touched, size_t row, struct sd_sim_contested *to);

#endif
