/*
 * Names a cache line: its variables, the stack of a thread, or the mapping that it is in.
 */
#ifndef SD_TOUCHED_NAME_H
#define SD_TOUCHED_NAME_H

#include "native/watched_samples.h"

/* The text that names the line of a touch, of which bit i of `touched` is byte i; *out is 0 when it
 * has no name. 0 or -ENOMEM. */
int sd_touched_name_add(const struct sd_native_watch *w, const struct sd_timeline *t,
	const struct sd_touch *touch, uint64_t touched, unsigned *out);

#endif
