/*
 * The machine modelled by the software PMU: a preset of configs/machines, a similar file, or this
 * host as described by hwloc.
 */
#ifndef SD_MACHINE_MODEL_H
#define SD_MACHINE_MODEL_H

#include <stddef.h>

#include "record/simulated.h"
#include "base/sink.h"
#include "machine/topology.h"
#include "simulate/modelled_machine.h"

/*
 * Parses a machine file (libconfig). 0; -EINVAL after a message with FILE:LINE: an unknown setting,
 * a size that is no whole number of sets, a line or page size that is no power of two, no ways, a
 * level smaller than the one before; -ENOMEM. `cores` of the result is 0, since the point
 * determines it. *model (may be NULL) is that of the file; cores 0: it has none. The fuzz target.
 */
int sd_machine_parse(const char *file, const char *text, size_t size, struct sd_sim_machine *out,
	struct sd_modelled_machine *model, const struct sd_sink *sink);

/*
 * The machine named by --machine: "host" or NULL, a preset, or else a file. 0, or -errno after a
 * message (for an unknown name it lists the presets).
 */
int sd_machine_find(const char *name, const struct sd_topology *t, struct sd_sim_machine *out,
	const struct sd_sink *sink);

/* The same, of a machine that is modelled whole: its file must have a group `model`. */
int sd_machine_find_whole(const char *name, struct sd_sim_machine *out,
	struct sd_modelled_machine *model, const struct sd_sink *sink);

#endif
