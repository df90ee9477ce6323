/*
 * Load imbalance that changes while the program runs: what is divided evenly at first does not stay
 * so.
 */
#ifndef SD_LATE_DRIFT_H
#define SD_LATE_DRIFT_H

#include "case/case.h"
#include "record/binned_lanes.h"

#define SD_LATE_DRIFT_SLICES 10

struct sd_late_drift {
	double late[SD_LATE_DRIFT_SLICES]; /* cores that wait for threads or ranks that still run,
					      in each tenth from the first such wait, or work of two
					      threads, to the last */
	int order; /* pairs of tenths of which the later has more, less those of which it has less
		    */
};

/* The lanes are of a run on so many cores. 0: nothing in them waits so; -ENOMEM; else 1. */
int sd_late_drift_of(const struct sd_binned_lanes *l, unsigned cores, struct sd_late_drift *out);

/* Says that the imbalance grows, which is what it is, or shrinks: of a run of the last point that
 * kept its lanes, where late peers and nothing else is waited for, and chance would order the
 * tenths so in less than one run of a hundred. */
void sd_late_drift_say(struct sd_case *c, struct sd_finding *f);

#endif
