/*
 * An event map without its roles: enough to tell which CPUs it is for.
 */
#ifndef SD_MAP_CPUS_H
#define SD_MAP_CPUS_H

#include <stddef.h>

#include "probe/event_map.h"

/*
 * A copy of a map's text with an empty top-level group `roles` and unchanged line numbers. Owned by
 * the caller; NULL: out of memory. A text that is not a map is returned in part, so that libconfig
 * can report the error.
 */
char *sd_map_cpus_text(const char *text, size_t size);

/* As sd_event_map_parse(), but roles are neither read nor checked. */
int sd_map_cpus_parse(struct sd_event_map *map, const char *file, const char *text, size_t size,
	const struct sd_sink *sink);

#endif
