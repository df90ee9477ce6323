/*
 * Determines what threads did in gaps between recorded windows of switches.
 *
 * A thread's first event after a gap tells. If it leaves a CPU or is sampled, it was on that CPU;
 * if it gets one, it was not, and is taken to wait for what it last waited for. A thread without
 * any event or sample until the next gap waits all that time: for what it was waiting for, unless
 * its waits of that kind are known to be much shorter; else for something it is known to wait that
 * long for; else for an unknown reason.
 */
#ifndef SD_FILL_GAPS_H
#define SD_FILL_GAPS_H

#include "trace/timeline.h"

/* Adds moments at the ends of the timeline's gaps for threads whose state has changed. Call after
 * sd_timeline_bound. 0, or -ENOMEM with the timeline unchanged. */
int sd_fill_gaps(struct sd_timeline *t);

#endif
