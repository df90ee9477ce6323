/*
 * A lane from the run's start to its end, step by step, without gaps: what viewers draw.
 */
#ifndef SD_LANE_STEPS_H
#define SD_LANE_STEPS_H

#include "analysis/thread_lanes.h"

enum sd_lane_step_kind {
	SD_LANE_STEP_UNKNOWN, /* not there, or not recorded */
	SD_LANE_STEP_SAMPLED, /* on a CPU, and a sample says where */
	SD_LANE_STEP_ON_CPU,  /* on a CPU, no sample says where */
	SD_LANE_STEP_WAITED,
};

struct sd_lane_step {
	enum sd_lane_step_kind kind;
	uint64_t from, to;
	enum sd_activity activity; /* of SAMPLED and WAITED */
	unsigned node;             /* the same; 0 unknown */
	/* of WAITED, and of what belongs to a span on a CPU: that span; else NULL */
	const struct sd_thread_lanes_span *span;
};

/* Steps in the order of time, each longer than nothing, that reach from 0 to `length`. What is not
 * 0 ends it and is returned. */
int sd_lane_steps_each(const struct sd_thread_lanes_thread *lane, uint64_t length,
	int (*each)(void *ctx, const struct sd_lane_step *step), void *ctx);

/* "waiting for a mutex", "on a CPU"; static. */
const char *sd_lane_steps_label(enum sd_activity activity);

#endif
