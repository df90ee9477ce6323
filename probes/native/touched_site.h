/*
 * The allocation sites of a cache line's heap blocks.
 */
#ifndef SD_TOUCHED_SITE_H
#define SD_TOUCHED_SITE_H

#include "native/touched_line.h"
#include "native/watched_samples.h"

/* Sets `site` and `other` of *to by the blocks that its touches lie in, as far as they were logged.
 * 0 or -ENOMEM. */
int sd_touched_site_add(const struct sd_native_watch *w, const struct sd_timeline *t,
	const struct sd_touched_line *l, struct sd_sim_contested *to);

#endif
