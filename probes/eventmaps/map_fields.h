/*
 * Reads the fields of an event map's file, checking the type and range of each and reporting its
 * line.
 */
#ifndef SD_MAP_FIELDS_H
#define SD_MAP_FIELDS_H

#include <libconfig.h>
#include <stdint.h>

#include "base/config_fields.h"
#include "probe/event_map.h"

/* The map being read, and where messages go. */
struct sd_mapreader {
	struct sd_event_map *map;
	const struct sd_sink *sink;
};

/* As sd_config_fields_bad(), of the map's file. */
#define sd_map_fields_bad(r, line, ...) \
	sd_config_fields_bad((r)->sink, (r)->map->file, line, __VA_ARGS__)

/* A string of the map (printable, at most 400 bytes), kept by the map; 0, -EINVAL, -ENOMEM. */
int sd_map_fields_text_of(const struct sd_mapreader *r, config_setting_t *s, const char **out);

/*
 * Member `key` of a group. 1 and *out if present, 0 if not (*out unchanged), -EINVAL after a
 * message, -ENOMEM.
 */
int sd_map_fields_text(
	const struct sd_mapreader *r, config_setting_t *group, const char *key, const char **out);
int sd_map_fields_u64(const struct sd_mapreader *r, config_setting_t *group, const char *key,
	uint64_t high, uint64_t *out);
int sd_map_fields_number(
	const struct sd_mapreader *r, config_setting_t *group, const char *key, double *out);
int sd_map_fields_bool(
	const struct sd_mapreader *r, config_setting_t *group, const char *key, int *out);
/* "1,4-7" as a list of numbers. */
int sd_map_fields_list(const struct sd_mapreader *r, config_setting_t *group, const char *key,
	struct sd_cpulist *out);
/* A group, list or array with 1 to `most` members. */
int sd_map_fields_members(const struct sd_mapreader *r, config_setting_t *group, const char *key,
	int type, unsigned most, config_setting_t **out);

#endif
