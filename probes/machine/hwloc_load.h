/*
 * Loads the machine's topology with hwloc and determines the usable CPUs; topology.c numbers its
 * objects.
 */
#ifndef SD_HWLOC_LOAD_H
#define SD_HWLOC_LOAD_H

#include <hwloc.h>

#include "base/sink.h"
#include "machine/topology.h"

/* 0 and a loaded topology, to be freed by hwloc_topology_destroy; -errno with one message said and
 * *h NULL. */
int sd_hwloc_load_open(
	hwloc_topology_t *h, const struct sd_topology_source *source, const struct sd_sink *sink);

/*
 * The CPUs that are online, in the cpuset, and in `allowed` (or else this process's affinity);
 * never empty. 0; -errno with one message said.
 */
int sd_hwloc_load_usable(hwloc_topology_t h, const struct sd_topology_source *source,
	hwloc_bitmap_t set, const struct sd_sink *sink);

#endif
