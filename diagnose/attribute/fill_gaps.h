/*
 * What threads do when their switches are recorded again after a gap.
 *
 * The first thing a thread is seen at tells: who leaves a CPU or is sampled was on it, who comes to
 * one was not, and is taken to wait for what it last waited for. Who is met at nothing until the
 * next gap, not at a sample either, waits all that time: for what it was left waiting for, unless
 * its waits of that kind are known to be much shorter, or for what it is known to wait as long for,
 * or nobody knows for what.
 */
#ifndef SD_FILL_GAPS_H
#define SD_FILL_GAPS_H

#include "trace/timeline.h"

/* Adds moments at the ends of the timeline's gaps, which sd_timeline_bound has bound, where threads
 * are not as they were left. 0 or -ENOMEM, the timeline then as it was. */
int sd_fill_gaps(struct sd_timeline *t);

#endif
