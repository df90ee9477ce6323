/*
 * This node's calibration, taken into a record before its first run.
 */
#ifndef SD_NODE_CEILINGS_H
#define SD_NODE_CEILINGS_H

#include "context/context.h"
#include "record/record.h"
#include "base/sink.h"
#include "machine/topology.h"

/*
 * Fills record->layout, and record->calibration from the profile of this machine in the cache
 * folder; without a usable one only the statement, which says so and what to do. A damaged profile
 * is said, and otherwise like none. The machine's state decides which ceilings: a line transfer
 * between the plan's CPUs is measured, about 1 ms. 0 or -ENOMEM.
 */
int sd_node_ceilings_take(
	struct sd_record *record, const struct sd_topology *t, const struct sd_sink *sink);

/*
 * On a node without a profile, for this record alone: bandwidth, latency and the cost of a page
 * walk in quick mode, about 10 s, into record->calibration. What could not be measured stays
 * unknown (said). 0, -EINTR after Ctrl-C (said), or -ENOMEM.
 */
int sd_node_ceilings_measure(struct sd_record *record, const struct sd_cli *cli);

#endif
