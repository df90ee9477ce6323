/*
 * Says how much of a run's samples could be looked at, and why the others could not.
 */
#ifndef SD_WATCH_STATUS_H
#define SD_WATCH_STATUS_H

#include "native/watched_samples.h"

/* Sets line_bytes, status and why of *out. */
void sd_watch_status_say(const struct sd_native_watch *w, struct sd_native_lines *out);

#endif
