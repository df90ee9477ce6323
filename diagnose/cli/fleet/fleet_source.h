/*
 * Sources of calibrations: a store, a folder of profiles, files.
 */
#ifndef SD_FLEET_SOURCE_H
#define SD_FLEET_SOURCE_H

#include "context/context.h"
#include "fleet/fleet.h"

/* The newest calibration of each node of a store or of a folder's profiles (*.json); what is no
 * profile is left out with a word. 0 or -errno after a message; a fleet without a node is an error,
 * -ENODATA. */
int sd_fleet_source_read(const struct sd_cli *cli, const char *path, struct sd_fleet *out);

/* One side of a comparison: a path as above, a day (YYYY-MM-DD, with THH:MM if wanted; UTC) or a
 * fact (NAME=TEXT) of the store. As above. */
int sd_fleet_source_select(
	const struct sd_cli *cli, const char *store, const char *side, struct sd_fleet *out);

/* Hands over each calibration of a file that 'fleet export' wrote, a profile, or a folder of
 * profiles. 0 or -errno after a message, or what `each` returned; what it takes over it zeroes. */
int sd_fleet_source_each(const struct sd_cli *cli, const char *path,
	int (*each)(void *ctx, struct sd_fleet_node *node), void *ctx);

#endif
