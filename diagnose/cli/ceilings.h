/*
 * This node's calibration, taken into a record before its first run.
 */
#ifndef SD_CEILINGS_H
#define SD_CEILINGS_H

#include "record.h"
#include "sink.h"
#include "topology.h"

/*
 * Fills record->layout, and record->calibration from the profile of this machine in the cache
 * folder; without a usable one only the statement, which says so and what to do. A damaged profile
 * is said, and otherwise like none. The machine's state decides which ceilings: a line transfer
 * between the plan's CPUs is measured, about 1 ms. 0 or -ENOMEM.
 */
int sd_ceilings_take(
	struct sd_record *record, const struct sd_topology *t, const struct sd_sink *sink);

#endif
