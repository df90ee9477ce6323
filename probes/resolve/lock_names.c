#include "resolve/lock_names.h"

#include <errno.h>
#include <fnmatch.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_fields.h"
#include "base/configs.h"
#include "base/one_more.h"

#define TEXT_MOST 80 /* characters of a name, an object or a pattern */
#define NEAR 3       /* frames behind the locks' own that name one: beyond them others are held */

static const char *const kind_name[SD_LOCK_KINDS] = {[SD_LOCK_KIND_SPIN] = "spin",
	[SD_LOCK_KIND_MUTEX] = "mutex",
	[SD_LOCK_KIND_RWSEM] = "rwsem",
	[SD_LOCK_KIND_PERCPU] = "percpu"};

/* ---- the file -------------------------------------------------------------------------------- */

struct reader {
	const char *name;
	const struct sd_sink *sink;
};

#define bad(r, s, ...) \
	sd_config_fields_bad((r)->sink, (r)->name, sd_config_fields_line(s), __VA_ARGS__)

static int take_patterns(const struct reader *r, const config_setting_t *group, const char *key,
	struct sd_texts *out)
{
	const config_setting_t *const s = config_setting_get_member(group, key);
	const int n = s && config_setting_is_array(s) ? config_setting_length(s) : 0;
	int rc = n ? 0
		   : bad(r, s ? s : group, "%s: must be patterns in quotes: [\"a\", \"b*\"]", key);

	for (int i = 0; i < n && !rc; i++) {
		const char *const text = config_setting_get_string_elem(s, i);

		rc = text && *text && strlen(text) <= TEXT_MOST
			     ? sd_texts_add(out, "%s", text)
			     : bad(r, s, "%s: a pattern has 1 to %d characters", key, TEXT_MOST);
	}
	return rc;
}

static int take_text(
	const struct reader *r, const config_setting_t *row, const char *key, char **out)
{
	const config_setting_t *const s = config_setting_get_member(row, key);
	const char *const text = s ? config_setting_get_string(s) : NULL;

	if (!s)
		return 0;
	if (!text || !*text || strlen(text) > TEXT_MOST || !sd_config_fields_prints(text))
		return bad(r, s, "%s: must be a text in quotes, of 1 to %d characters", key,
			TEXT_MOST);
	*out = strdup(text);
	return *out ? 0 : -ENOMEM;
}

static int take_kind(const struct reader *r, const config_setting_t *row, enum sd_lock_kind *out)
{
	const config_setting_t *const s = config_setting_get_member(row, "kind");
	const char *const text = s ? config_setting_get_string(s) : NULL;

	for (int i = SD_LOCK_KIND_ANY + 1; text && i < SD_LOCK_KINDS; i++)
		if (strcmp(text, kind_name[i]) == 0) {
			*out = (enum sd_lock_kind)i;
			return 0;
		}
	return s ? bad(r, s, "kind: must be spin, mutex, rwsem or percpu") : 0;
}

static void free_row(struct sd_lock_name *row)
{
	free(row->name);
	free(row->object);
	sd_texts_free(&row->function);
}

/* A row of calls has no kind and no object, and need not have a name. */
static int take_row(
	const struct reader *r, const config_setting_t *s, int is_call, struct sd_lock_name *out)
{
	static const char *const of_lock[] = {"name", "kind", "object", "functions", NULL},
				 *const of_call[] = {"name", "functions", NULL};
	int rc;

	*out = (struct sd_lock_name){0};
	if (!config_setting_is_group(s))
		return bad(r, s, "a row is a group: { functions = [...]; ... }");
	rc = sd_config_fields_only(r->sink, r->name, s, is_call ? of_call : of_lock);
	rc = rc ? rc : take_text(r, s, "name", &out->name);
	rc = rc ? rc : take_text(r, s, "object", &out->object);
	rc = rc ? rc : take_kind(r, s, &out->kind);
	if (!rc && !is_call && (!out->name || !out->object))
		rc = bad(r, s, "a lock has a name and an object");
	return rc ? rc : take_patterns(r, s, "functions", &out->function);
}

static int take_rows(const struct reader *r, const config_setting_t *root, const char *key,
	struct sd_lock_name **out, size_t *n)
{
	const config_setting_t *const list = config_setting_get_member(root, key);
	int rc = 0;

	if (!list || !config_setting_is_list(list) ||
		config_setting_length(list) > SD_LOCK_NAMES_MOST)
		return bad(r, list ? list : root, "%s = ( { ... }, ... ): at most %d rows", key,
			SD_LOCK_NAMES_MOST);
	for (int i = 0; i < config_setting_length(list) && !rc; i++) {
		struct sd_lock_name row;

		rc = take_row(r, config_setting_get_elem(list, (unsigned)i),
			strcmp(key, "calls") == 0, &row);
		rc = rc ? rc : SD_APPEND(*out, *n, &row);
		if (rc)
			free_row(&row);
	}
	return rc;
}

static int take_all(const struct reader *r, const config_setting_t *root, struct sd_lock_names *out)
{
	static const char *const keys[] = {"inside", "asleep", "locks", "calls", NULL};
	int rc = sd_config_fields_only(r->sink, r->name, root, keys);

	rc = rc ? rc : take_patterns(r, root, "inside", &out->inside);
	rc = rc ? rc : take_patterns(r, root, "asleep", &out->asleep);
	rc = rc ? rc : take_rows(r, root, "locks", &out->lock, &out->n_lock);
	return rc ? rc : take_rows(r, root, "calls", &out->call, &out->n_call);
}

int sd_lock_names_parse(struct sd_lock_names *out, const char *name, const char *text, size_t size,
	const struct sd_sink *sink)
{
	const struct reader r = {name, sink};
	config_t config;
	int rc = sd_config_fields_parse(&config, name, text, size, sink);

	*out = (struct sd_lock_names){0};
	if (rc)
		return rc;
	rc = take_all(&r, config_root_setting(&config), out);
	config_destroy(&config);
	if (rc)
		sd_lock_names_free(out);
	return rc;
}

int sd_lock_names_load(struct sd_lock_names *out, const char *dir, const struct sd_sink *sink)
{
	struct sd_config config;
	int rc = sd_configs_get(dir, "locks/kernel.conf", &config, sink);

	*out = (struct sd_lock_names){0};
	if (rc)
		return rc;
	rc = sd_lock_names_parse(out, config.name, config.text, config.size, sink);
	sd_config_free(&config);
	return rc;
}

static void free_rows(struct sd_lock_name *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free_row(&row[i]);
	free(row);
}

void sd_lock_names_free(struct sd_lock_names *names)
{
	free_rows(names->lock, names->n_lock);
	free_rows(names->call, names->n_call);
	sd_texts_free(&names->inside);
	sd_texts_free(&names->asleep);
	*names = (struct sd_lock_names){0};
}

/* ---- a stack --------------------------------------------------------------------------------- */

/* The pattern that the function fits; NULL: none. */
static const char *fitting(const struct sd_texts *patterns, const char *function)
{
	for (size_t i = 0; i < patterns->n && function && *function; i++)
		if (fnmatch(patterns->text[i], function, 0) == 0)
			return patterns->text[i];
	return NULL;
}

/* The first frame that is none of the locks' own; n: there is none. */
static size_t first_outside(const struct sd_lock_names *names, struct sd_lock_frames f)
{
	size_t i = 0;

	while (i < f.n &&
		(fitting(&names->inside, f.function[i]) || fitting(&names->asleep, f.function[i])))
		i++;
	return i;
}

int sd_lock_names_waits(const struct sd_lock_names *names, struct sd_lock_frames f)
{
	const size_t outside = first_outside(names, f);

	for (size_t i = 0; i < outside; i++)
		if (fitting(&names->inside, f.function[i]))
			return 1;
	return 0;
}

void sd_lock_names_lock(const struct sd_lock_names *names, struct sd_lock_frames f,
	enum sd_lock_kind kind, char out[SD_LOCK_NAMES_TEXT])
{
	const size_t outside = first_outside(names, f);

	for (size_t i = 0; i < f.n && i < outside + NEAR; i++)
		for (size_t k = 0; k < names->n_lock; k++) {
			const struct sd_lock_name *const row = &names->lock[k];

			if ((row->kind && kind && row->kind != kind) ||
				!fitting(&row->function, f.function[i]))
				continue;
			snprintf(out, SD_LOCK_NAMES_TEXT, "%s (%s)", row->name, row->object);
			return;
		}
	if (outside < f.n && f.function[outside] && *f.function[outside])
		snprintf(out, SD_LOCK_NAMES_TEXT, "lock in %.100s()", f.function[outside]);
	else
		snprintf(out, SD_LOCK_NAMES_TEXT, "unknown lock");
}

void sd_lock_names_call(
	const struct sd_lock_names *names, struct sd_lock_frames f, char out[SD_LOCK_NAMES_TEXT])
{
	*out = '\0';
	for (size_t i = 0; i < f.n; i++)
		for (size_t k = 0; k < names->n_call; k++) {
			const struct sd_lock_name *const row = &names->call[k];
			const char *const pattern = fitting(&row->function, f.function[i]);

			if (!pattern)
				continue;
			snprintf(out, SD_LOCK_NAMES_TEXT, "%s",
				row->name ? row->name : f.function[i] + strcspn(pattern, "*?["));
			return;
		}
}
