/*
 * A timeline of parts of a run: what happened outside of them takes no time.
 */
#ifndef SD_TIMELINE_PARTS_H
#define SD_TIMELINE_PARTS_H

#include "trace/timeline.h"

/* A part; they come in order, and none overlaps the one before. 0 or -ENOMEM. */
int sd_timeline_parts_add(struct sd_timeline *t, uint64_t from, uint64_t to);

/*
 * Once start and end are known, and before sd_timeline_bound(): when there are parts, moves every
 * time to how much of the parts was over by then, and drops the samples outside. A thread that
 * waits when a part begins is waiting from its begin.
 */
void sd_timeline_parts_keep(struct sd_timeline *t);

#endif
