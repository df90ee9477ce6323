/*
 * A calibration of a node as one line of JSON: how a store is exported and imported.
 */
#ifndef SD_FLEET_LINE_H
#define SD_FLEET_LINE_H

#include <stdio.h>

#include "base/sink.h"
#include "fleet/fleet.h"

#define SD_FLEET_LINE_KIND "scalediag-fleet-node"
#define SD_FLEET_LINE_MAX ((size_t)4 << 20) /* bytes; a longer line is none of ours */

/* Writes {"kind":…,"schema":1,"host":…,"group":…,"numbers":{"triad":[value,low,high],…},…} and a
 * newline: the same node gives the same bytes. 0, -ENOMEM or -EIO. */
int sd_fleet_line_encode(FILE *f, const struct sd_fleet_node *node);

/*
 * Reads and checks every field of one line; `name` and `line` stand in messages. Numbers of names
 * that are not known here are left out. 0 and *out, a node alone; -EINVAL after a message; -ENOMEM.
 * *out is zeroed on failure. The fuzz target.
 */
int sd_fleet_line_parse(const char *text, size_t size, const char *name, size_t line,
	struct sd_fleet_node *out, const struct sd_sink *sink);

#endif
