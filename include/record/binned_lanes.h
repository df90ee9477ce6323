/*
 * Activity of a run's threads over time, cut into equal bins: as much as a picture can show,
 * bounded whatever the run's length. A lane a thread; neighbouring bins in which it did the same
 * are one step.
 */
#ifndef SD_BINNED_LANES_H
#define SD_BINNED_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "record/core_time.h"

/* States of a bin that are no activities. */
#define SD_BINNED_ON_CPU SD_ACTIVITY_COUNT          /* no sample says what it did there */
#define SD_BINNED_NOT_THERE (SD_ACTIVITY_COUNT + 1) /* or nothing was recorded */
#define SD_BINNED_STATES (SD_ACTIVITY_COUNT + 2)

/* Bounds of one run's lanes, and of a record's: some 200 kB of JSON. */
#define SD_BINNED_LANES 256u
#define SD_BINNED_BINS 1000u
#define SD_BINNED_STEPS 6000u
#define SD_BINNED_RECORD_STEPS 20000u
#define SD_BINNED_RECORD_RUNS 16u

/* The activity that took most of a bin: equal for two bins that are drawn alike. */
struct sd_binned_doing {
	unsigned state;    /* enum sd_activity or SD_BINNED_* */
	unsigned function; /* text of the record's stacks; 0 unknown */
	unsigned lock;     /* likewise: what it waits for */
};

struct sd_binned_step {
	unsigned bins;
	unsigned doing; /* of the lanes' doings */
};

struct sd_binned_lane {
	int pid, tid;
	char name[16];
	struct sd_binned_step *step; /* owned; what is missing behind the last: not there */
	size_t n_step;
};

struct sd_binned_lanes {
	uint64_t length; /* ns */
	unsigned bins;
	size_t n_seen;                 /* threads of the run */
	struct sd_binned_doing *doing; /* owned; each once */
	size_t n_doing;
	struct sd_binned_lane *lane; /* owned; the threads that were on CPUs longest, in the order
					of their start */
	size_t n_lane;
};

/* Steps that the lanes of a run at this point may have, of `n_point` points; 0: no lanes are kept
 * there, because the points are too many: then those are chosen evenly, with the first and the
 * last. */
unsigned sd_binned_lanes_most(size_t point, size_t n_point);

void sd_binned_lanes_free(struct sd_binned_lanes *l); /* frees *l too; accepts NULL */

#endif
