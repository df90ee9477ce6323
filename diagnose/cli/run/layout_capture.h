/*
 * What a report draws of this machine, taken into a record before its first run.
 */
#ifndef SD_LAYOUT_CAPTURE_H
#define SD_LAYOUT_CAPTURE_H

#include "record/machine_layout.h"
#include "bench/profile.h"
#include "machine/topology.h"

/* The CPUs of the topology; with a profile (NULL: none) its pairs and curves, of the state with
 * this round trip. 0 or -ENOMEM; *out is to be freed in every case. */
int sd_layout_capture_take(struct sd_machine_layout *out, const struct sd_topology *t,
	const struct sd_profile *profile, struct sd_value line);

#endif
