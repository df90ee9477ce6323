/*
 * Splits the time of a run's requests by its lanes: of the slowest and of typical ones
 * (METHODS 2.5).
 */
#ifndef SD_REQUEST_SPLIT_H
#define SD_REQUEST_SPLIT_H

#include "analysis/thread_lanes.h"
#include "record/region_run.h"
#include "record/stacks.h"
#include "trace/timeline.h"

struct sd_request_split {
	const struct sd_timeline *timeline;
	const struct sd_thread_lanes_run *lanes; /* of it, none of their spans merged */
	const struct sd_stacks *stacks;
	int throttled; /* the program's quota was used up at some time */
};

/* Fills the state, groups and places of r->requests from r->entry, which it reorders. 0 or -ENOMEM.
 */
int sd_request_split_fill(const struct sd_request_split *s, struct sd_region_run *r);

#endif
