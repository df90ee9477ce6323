#include "base/config_fields.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_text(
	config_t *out, const char *file, const char *text, size_t size, const struct sd_sink *sink)
{
	const char *const include = strstr(text, "@include"), *why;
	unsigned line = 1;

	if (strlen(text) < size)
		return sd_config_fields_bad(sink, file, 0, "holds a NUL byte");
	for (const char *c = text; include && c < include; c++)
		line += *c == '\n';
	if (include)
		return sd_config_fields_bad(sink, file, line, "@include is not allowed here");
	if (config_read_string(out, text) == CONFIG_TRUE)
		return 0;
	why = config_error_text(out);
	return sd_config_fields_bad(
		sink, file, (unsigned)config_error_line(out), "%s", why ? why : "cannot be read");
}

int sd_config_fields_parse(
	config_t *out, const char *file, const char *text, size_t size, const struct sd_sink *sink)
{
	char *const copy = strndup(text, size);
	int rc;

	config_init(out);
	rc = copy ? read_text(out, file, copy, size, sink) : -ENOMEM;
	free(copy);
	if (rc)
		config_destroy(out);
	return rc;
}

unsigned sd_config_fields_line(const config_setting_t *s)
{
	const unsigned line = config_setting_source_line(s);

	return line ? line : 1;
}

int sd_config_fields_bad(
	const struct sd_sink *sink, const char *file, unsigned line, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	if (line)
		sd_say(sink, SD_LEVEL_ERROR, "%s:%u: %s", file, line, what);
	else
		sd_say(sink, SD_LEVEL_ERROR, "%s: %s", file, what);
	return -EINVAL;
}

int sd_config_fields_only(const struct sd_sink *sink, const char *file,
	const config_setting_t *group, const char *const *keys)
{
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *const s = config_setting_get_elem(group, (unsigned)i);
		const char *const name = config_setting_name(s), *const *k = keys;

		while (*k && strcmp(*k, name ? name : "") != 0)
			k++;
		if (!*k)
			return sd_config_fields_bad(sink, file, sd_config_fields_line(s),
				"%.60s: no such setting here", name ? name : "an element");
	}
	return 0;
}

int sd_config_fields_prints(const char *text)
{
	while (isprint((unsigned char)*text))
		text++;
	return !*text;
}
