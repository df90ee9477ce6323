/*
 * This host as a machine for the software PMU.
 */
#ifndef SD_HOST_MACHINE_H
#define SD_HOST_MACHINE_H

#include "base/sink.h"
#include "machine/topology.h"
#include "record/simulated.h"

/* Sizes, ways and sharers from the topology; what that does not know is said and taken as usual. */
void sd_host_machine(
	const struct sd_topology *t, struct sd_sim_machine *out, const struct sd_sink *sink);

#endif
