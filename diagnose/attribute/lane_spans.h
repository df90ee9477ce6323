/*
 * A run's timeline as lanes: for each thread what it did, span by span.
 *
 * A wait lasts from the switch that begins it to the wake-up; from there to the CPU the thread is
 * ready. What it did on a CPU is known at its samples: the time since the sample before, or since
 * it came, is taken for that of the sample; what follows its last sample, as long as no other could
 * have come, is taken for that of this one. While switches are not recorded there are samples and
 * no spans, and then no span before the next switch; where none is, there are samples alone.
 */
#ifndef SD_LANE_SPANS_H
#define SD_LANE_SPANS_H

#include "analysis/thread_lanes.h"
#include "trace/timeline.h"

/* `most`: spans that all lanes may have together; neighbours that are too short are merged until
 * they do. `run` and `cores` of *out are the caller's. 0 or -ENOMEM; *out is to be freed in every
 * case. */
int sd_lane_spans_make(const struct sd_timeline *t, size_t most, struct sd_thread_lanes_run *out);

#endif
