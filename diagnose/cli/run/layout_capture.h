/*
 * Stores this machine's layout, as reports draw it, in a record before its first run.
 */
#ifndef SD_LAYOUT_CAPTURE_H
#define SD_LAYOUT_CAPTURE_H

#include "record/machine_layout.h"
#include "bench/profile.h"
#include "machine/topology.h"

/* Takes the CPUs from the topology and, with a profile (NULL: none), its pairs and curves in the
 * state with this round trip. 0 or -ENOMEM; *out must be freed in every case. */
int sd_layout_capture_take(struct sd_machine_layout *out, const struct sd_topology *t,
	const struct sd_profile *profile, struct sd_value line);

#endif
