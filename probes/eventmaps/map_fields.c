#include "eventmaps/map_fields.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 400 };

static const char *key_of(const config_setting_t *s)
{
	const char *const name = config_setting_name(s);

	return name ? name : "an element";
}

int sd_map_fields_text_of(const struct sd_mapreader *r, config_setting_t *s, const char **out)
{
	const char *const text = config_setting_get_string(s);
	const unsigned line = sd_config_fields_line(s);

	if (!text)
		return sd_map_fields_bad(r, line, "%s: must be a string", key_of(s));
	if (!*text)
		return sd_map_fields_bad(r, line, "%s: is empty", key_of(s));
	if (strlen(text) > TEXT_MAX)
		return sd_map_fields_bad(r, line, "%s: longer than %d bytes", key_of(s), TEXT_MAX);
	if (!sd_config_fields_prints(text))
		return sd_map_fields_bad(
			r, line, "%s: holds a character that does not print", key_of(s));
	if (sd_texts_add(&r->map->strings, "%s", text) < 0)
		return -ENOMEM;
	*out = r->map->strings.text[r->map->strings.n - 1];
	return 0;
}

int sd_map_fields_text(
	const struct sd_mapreader *r, config_setting_t *group, const char *key, const char **out)
{
	config_setting_t *const s = config_setting_get_member(group, key);
	int rc;

	if (!s)
		return 0;
	rc = sd_map_fields_text_of(r, s, out);
	return rc < 0 ? rc : 1;
}

int sd_map_fields_u64(const struct sd_mapreader *r, config_setting_t *group, const char *key,
	uint64_t high, uint64_t *out)
{
	config_setting_t *const s = config_setting_get_member(group, key);
	long long v;
	int type;

	if (!s)
		return 0;
	type = config_setting_type(s);
	if (type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
		return sd_map_fields_bad(
			r, sd_config_fields_line(s), "%s: must be a whole number", key_of(s));
	v = type == CONFIG_TYPE_INT ? config_setting_get_int(s) : config_setting_get_int64(s);
	/* libconfig reads 0x80000000 without a final L as a negative number */
	if (v < 0 || (uint64_t)v > high)
		return sd_map_fields_bad(r, sd_config_fields_line(s),
			"%s: must be from 0 to %#llx; above 0x7fffffff with a final L", key_of(s),
			(unsigned long long)high);
	*out = (uint64_t)v;
	return 1;
}

int sd_map_fields_number(
	const struct sd_mapreader *r, config_setting_t *group, const char *key, double *out)
{
	config_setting_t *const s = config_setting_get_member(group, key);
	double v;

	if (!s)
		return 0;
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
		v = config_setting_get_int(s);
		break;
	case CONFIG_TYPE_FLOAT:
		v = config_setting_get_float(s);
		break;
	default:
		return sd_map_fields_bad(
			r, sd_config_fields_line(s), "%s: must be a number", key_of(s));
	}
	if (!isfinite(v))
		return sd_map_fields_bad(
			r, sd_config_fields_line(s), "%s: is not finite", key_of(s));
	*out = v;
	return 1;
}

int sd_map_fields_bool(
	const struct sd_mapreader *r, config_setting_t *group, const char *key, int *out)
{
	config_setting_t *const s = config_setting_get_member(group, key);

	if (!s)
		return 0;
	if (config_setting_type(s) != CONFIG_TYPE_BOOL)
		return sd_map_fields_bad(
			r, sd_config_fields_line(s), "%s: must be true or false", key_of(s));
	*out = config_setting_get_bool(s);
	return 1;
}

int sd_map_fields_list(const struct sd_mapreader *r, config_setting_t *group, const char *key,
	struct sd_cpulist *out)
{
	config_setting_t *const s = config_setting_get_member(group, key);
	const char *text;
	int rc;

	if (!s)
		return 0;
	text = config_setting_get_string(s);
	if (!text || !*text)
		return sd_map_fields_bad(r, sd_config_fields_line(s),
			"%s: must be a list of numbers such as \"1,4-7\"", key_of(s));
	rc = sd_cpulist_parse(text, out);
	if (rc == -EINVAL)
		return sd_map_fields_bad(r, sd_config_fields_line(s),
			"%s: '%.60s' is not a list of numbers such as \"1,4-7\"", key_of(s), text);
	return rc < 0 ? rc : 1;
}

int sd_map_fields_members(const struct sd_mapreader *r, config_setting_t *group, const char *key,
	int type, unsigned most, config_setting_t **out)
{
	static const struct {
		int type;
		const char *how;
	} kinds[] = {{CONFIG_TYPE_GROUP, "a group { ... }"},
		{CONFIG_TYPE_ARRAY, "an array [ ... ]"}, {CONFIG_TYPE_LIST, "a list ( ... )"}};
	config_setting_t *const s = config_setting_get_member(group, key);

	if (!s)
		return 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].type == type && config_setting_type(s) != type)
			return sd_map_fields_bad(r, sd_config_fields_line(s), "%s: must be %s",
				key_of(s), kinds[i].how);
	if (config_setting_length(s) < 1)
		return sd_map_fields_bad(r, sd_config_fields_line(s), "%s: is empty", key_of(s));
	if ((unsigned)config_setting_length(s) > most)
		return sd_map_fields_bad(
			r, sd_config_fields_line(s), "%s: more than %u members", key_of(s), most);
	*out = s;
	return 1;
}
