/*
 * The roles of an event map's file.
 */
#ifndef SD_MAP_ROLES_H
#define SD_MAP_ROLES_H

#include "eventmaps/map_fields.h"

/* Most counters of one kind on a CPU: the size of sd_map_role's bit set. */
#define SD_MAP_COUNTERS 32

/* Fills r->map->roles from the group "roles". 0; -EINVAL after a message; -ENOMEM. */
int sd_map_roles_read_all(const struct sd_mapreader *r, config_setting_t *root);

#endif
