/*
 * The machine that the software PMU models: a preset of configs/machines, a file like those, or
 * this host as hwloc describes it.
 */
#ifndef SD_MACHINE_MODEL_H
#define SD_MACHINE_MODEL_H

#include <stddef.h>

#include "record/simulated.h"
#include "base/sink.h"
#include "machine/topology.h"

/*
 * A machine's file (libconfig). 0; -EINVAL, said with FILE:LINE: what is not a setting, a size
 * whose sets are not whole, a line or page that is no power of two, no ways, a level smaller than
 * the one before it; -ENOMEM. `cores` of the result is 0: that is the point's. The fuzz target.
 */
int sd_machine_parse(const char *file, const char *text, size_t size, struct sd_sim_machine *out,
	const struct sd_sink *sink);

/*
 * What --machine names: "host" or NULL, a preset, else a file. 0; -errno, said (an unknown name
 * with the presets there are).
 */
int sd_machine_find(const char *name, const struct sd_topology *t, struct sd_sim_machine *out,
	const struct sd_sink *sink);

#endif
