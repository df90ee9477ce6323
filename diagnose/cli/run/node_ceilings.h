/*
 * Stores this node's calibration in a record before its first run.
 */
#ifndef SD_NODE_CEILINGS_H
#define SD_NODE_CEILINGS_H

#include "bench/profile.h"
#include "context/context.h"
#include "record/record.h"
#include "base/sink.h"
#include "machine/topology.h"

/*
 * Fills record->layout and, from this machine's profile in the cache folder, record->calibration;
 * without a usable profile only its statement, which says so and what to do. A damaged profile is
 * reported and otherwise ignored. The machine's state selects the ceilings; to determine it a line
 * transfer between the plan's CPUs is measured, in about 1 ms. 0 or -ENOMEM.
 */
int sd_node_ceilings_take(
	struct sd_record *record, const struct sd_topology *t, const struct sd_sink *sink);

/*
 * On a node without a profile, for this record only: measures bandwidth at the plan's counts,
 * latency and page walks in brief mode, at most 3 s, into record->calibration. What cannot be
 * measured, or not in that time, stays unknown, as its statement says. 0; -EINTR after Ctrl-C, with
 * a message; -ENOMEM.
 */
int sd_node_ceilings_measure(struct sd_record *record, const struct sd_cli *cli);

/* Fills a calibration from a profile, by the state in which its CPUs were nearest: of a node that
 * was calibrated elsewhere. 0 or -ENOMEM. */
int sd_node_ceilings_of(struct sd_calibration *out, const struct sd_profile *profile);

#endif
