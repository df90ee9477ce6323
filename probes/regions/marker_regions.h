/*
 * Reads what a program has written of its regions (markers/scalediag.h). Any process of it may have
 * died while it wrote, or have written anything: the bytes are not trusted.
 */
#ifndef SD_MARKER_REGIONS_H
#define SD_MARKER_REGIONS_H

#include "record/region_run.h"

struct sd_marker_file;

/*
 * Adds the regions of a file that nobody writes any more to *out, those of several processes under
 * one name. `from`, `to`: the run, CLOCK_MONOTONIC, ns; a region without an end lasted until `to`.
 * `judged`: the region whose times are wanted (judged_s, span); "" none. 0; -ENOMEM.
 */
int sd_marker_regions_add(const struct sd_marker_file *file, uint64_t from, uint64_t to,
	const char *judged, struct sd_region_run *out);

/*
 * The same of the file at this path, which is removed when it is ours. 0, also when there is none;
 * -ENOMEM.
 */
int sd_marker_regions_take(const char *path, uint64_t from, uint64_t to, const char *judged,
	struct sd_region_run *out);

/* Removes a file of an earlier run. 0: there is none; -EEXIST: what is there is not ours. */
int sd_marker_regions_remove(const char *path);

#endif
