/*
 * An event map without its roles: what is enough to say which CPU it is for.
 */
#ifndef SD_MAP_CPUS_H
#define SD_MAP_CPUS_H

#include <stddef.h>

#include "probe/event_map.h"

/*
 * A copy of a map's text whose top-level group `roles` is empty, every line where it was. Owned by
 * the caller; NULL without memory. A text that is no map comes back in some part, for libconfig to
 * say what is wrong.
 */
char *sd_map_cpus_text(const char *text, size_t size);

/* As sd_event_map_parse(), but the roles stay unread: none is present, and none is checked. */
int sd_map_cpus_parse(struct sd_event_map *map, const char *file, const char *text, size_t size,
	const struct sd_sink *sink);

#endif
