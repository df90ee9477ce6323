/*
 * Sums up a run's touches: lines that threads took turns on, and each loop's time by what it
 * touched.
 */
#ifndef SD_TOUCH_TOTALS_H
#define SD_TOUCH_TOTALS_H

#include "native/watched_samples.h"

/* Once sd_line_turns_find() has put the n touches of pages of several threads in front. Fills all
 * of *out but its status. 0 or -ENOMEM. */
int sd_touch_totals_fill(const struct sd_native_watch *w, const struct sd_timeline *t, size_t n,
	struct sd_native_lines *out);

#endif
