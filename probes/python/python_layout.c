#include "python/python_layout.h"

#include <libconfig.h>
#include <stdio.h>
#include <string.h>

#include "base/config_fields.h"
#include "base/configs.h"

#define OFFSET_MOST (1 << 20) /* bytes: no structure of CPython is larger */

#define X(id, key) key,
static const char *const keys[] = {SD_PYTHON_FIELDS(X) "version", NULL};
#undef X

static int take_version(
	const char *name, config_setting_t *group, unsigned *out, const struct sd_sink *sink)
{
	const char *text = NULL;
	unsigned minor;
	char end;

	if (!config_setting_lookup_string(group, "version", &text) ||
		sscanf(text, "3.%3u%c", &minor, &end) != 1 || minor > 255)
		return sd_config_fields_bad(sink, name, sd_config_fields_line(group),
			"version: must be \"3.\" and a number");
	*out = 3u << 8 | minor;
	return 0;
}

static int take_layout(const char *name, config_setting_t *group, struct sd_python_layout *out,
	const struct sd_sink *sink)
{
	int rc;

	if (!config_setting_is_group(group))
		return sd_config_fields_bad(
			sink, name, sd_config_fields_line(group), "a version is a group");
	rc = sd_config_fields_only(sink, name, group, keys);
	if (!rc)
		rc = take_version(name, group, &out->version, sink);
	for (size_t i = 0; i < SD_PYTHON_FIELD_COUNT && !rc; i++) {
		int value = -1;

		if (!config_setting_lookup_int(group, keys[i], &value) || value < 0 ||
			value > OFFSET_MOST)
			rc = sd_config_fields_bad(sink, name, sd_config_fields_line(group),
				"%s: must be a number of bytes, 0 to %d", keys[i], OFFSET_MOST);
		else
			out->at[i] = (unsigned)value;
	}
	if (!rc && out->at[SD_PYTHON_TEXT_STATE_KIND] > 24)
		rc = sd_config_fields_bad(sink, name, sd_config_fields_line(group),
			"text_state_kind: must be the number of a bit, 0 to 24");
	return rc;
}

static int take_all(struct sd_python_layouts *l, const char *name, config_setting_t *root,
	const struct sd_sink *sink)
{
	static const char *const known[] = {"versions", NULL};
	config_setting_t *const list = config_setting_get_member(root, "versions");
	const int n = list && config_setting_is_list(list) ? config_setting_length(list) : 0;
	struct sd_python_layouts read = {0};
	int rc = sd_config_fields_only(sink, name, root, known);

	if (!rc && (n < 1 || n > SD_PYTHON_LAYOUTS))
		rc = sd_config_fields_bad(sink, name, 0,
			"versions = ( { ... }, ... ) must be 1 to %d of them", SD_PYTHON_LAYOUTS);
	for (; !rc && read.n < (size_t)n; read.n += !rc)
		rc = take_layout(name, config_setting_get_elem(list, (unsigned)read.n),
			&read.of[read.n], sink);
	if (!rc)
		*l = read;
	return rc;
}

int sd_python_layouts_parse(struct sd_python_layouts *l, const char *name, const char *text,
	size_t size, const struct sd_sink *sink)
{
	config_t config;
	int rc = sd_config_fields_parse(&config, name, text, size, sink);

	if (rc)
		return rc;
	rc = take_all(l, name, config_root_setting(&config), sink);
	config_destroy(&config);
	return rc;
}

int sd_python_layouts_load(struct sd_python_layouts *l, const char *dir, const struct sd_sink *sink)
{
	struct sd_config config;
	int rc = sd_configs_get(dir, "python/cpython.conf", &config, sink);

	if (rc)
		return rc;
	rc = sd_python_layouts_parse(l, config.name, config.text, config.size, sink);
	sd_config_free(&config);
	return rc;
}

const struct sd_python_layout *sd_python_layouts_find(
	const struct sd_python_layouts *l, unsigned version)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->of[i].version == version)
			return &l->of[i];
	return NULL;
}
