#include "fix/fix_locks.h"

#include <libconfig.h>
#include <stdio.h>
#include <string.h>

#include "base/config_fields.h"

static const char *const keys[] = {"enter", "leave", "limits", "method", NULL};

static int read_row(struct sd_fix_lock *out, config_setting_t *row, const char *file,
	const struct sd_sink *sink)
{
	const char *enter = NULL, *leave = "";

	if (config_setting_is_group(row)) {
		config_setting_lookup_string(row, "enter", &enter);
		config_setting_lookup_string(row, "leave", &leave);
	}
	if (!enter || !*enter || strlen(enter) >= sizeof out->enter ||
		strlen(leave) >= sizeof out->leave)
		return sd_config_fields_bad(sink, file, sd_config_fields_line(row),
			"a row of locks has the functions that `enter` and `leave`, or a type to "
			"`enter`: names of at most 63 characters");
	*out = (struct sd_fix_lock){0};
	snprintf(out->enter, sizeof out->enter, "%s", enter);
	snprintf(out->leave, sizeof out->leave, "%s", leave);
	config_setting_lookup_bool(row, "limits", &out->limits);
	config_setting_lookup_bool(row, "method", &out->method);
	return sd_config_fields_only(sink, file, row, keys);
}

static int read_rows(struct sd_fix_locks *out, const config_t *config, const char *file,
	const struct sd_sink *sink)
{
	const config_setting_t *const list = config_lookup(config, "locks");
	const unsigned n = list ? (unsigned)config_setting_length(list) : 0;
	int rc = 0;

	if (!list || n > SD_FIX_LOCKS)
		return sd_config_fields_bad(
			sink, file, 1, "needs a list `locks` of at most %d rows", SD_FIX_LOCKS);
	for (unsigned i = 0; i < n && !rc; i++)
		rc = read_row(&out->row[out->n++], config_setting_get_elem(list, i), file, sink);
	return rc;
}

int sd_fix_locks_read(struct sd_fix_locks *out, const char *dir, const struct sd_sink *sink)
{
	struct sd_config text = {0};
	config_t config;
	int rc = sd_configs_get(dir, "sections/locks.conf", &text, sink);

	*out = (struct sd_fix_locks){0};
	if (rc)
		return rc;
	rc = sd_config_fields_parse(&config, text.name, text.text, text.size, sink);
	if (!rc) {
		rc = read_rows(out, &config, text.name, sink);
		config_destroy(&config);
	}
	sd_config_free(&text);
	return rc;
}
