#include "probe/event_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_fields.h"
#include "base/configs.h"
#include "eventmaps/map_fields.h"
#include "eventmaps/map_cpus.h"
#include "eventmaps/map_roles.h"

enum { CPUS_MAX = 64, NAMES_MAX = 16, KINDS_MAX = 8 };

void sd_event_map_free(struct sd_event_map *map)
{
	for (size_t i = 0; i < SD_ROLE_COUNT; i++)
		free(map->roles[i].events);
	for (size_t i = 0; i < map->n_cpus; i++) {
		sd_cpulist_free(&map->cpus[i].models);
		sd_cpulist_free(&map->cpus[i].steppings);
	}
	free(map->cpus);
	free(map->other_cores);
	free(map->file);
	sd_texts_free(&map->libpfm);
	sd_texts_free(&map->strings);
	*map = (struct sd_event_map){0};
}

unsigned sd_event_map_sees(const struct sd_event_map *map, const struct sd_map_role *role)
{
	const int whole = map->monolithic && role->sees & SD_SIGHT_BIT(SOCKET);

	return role->sees | (whole ? SD_SIGHT_BIT(COMPLEX) : 0);
}

static int read_cpu(const struct sd_mapreader *r, config_setting_t *group, struct sd_map_cpu *cpu)
{
	static const char *const keys[] = {
		"vendor", "family", "implementer", "models", "steppings", NULL};
	const unsigned line = sd_config_fields_line(group);
	uint64_t family = 0;
	int rc;

	if (config_setting_type(group) != CONFIG_TYPE_GROUP)
		return sd_map_fields_bad(r, line, "a CPU must be a group { ... }");
	rc = sd_config_fields_only(r->sink, r->map->file, group, keys);
	if (rc >= 0)
		rc = sd_map_fields_text(r, group, "vendor", &cpu->vendor);
	if (rc >= 0)
		rc = sd_map_fields_u64(
			r, group, cpu->vendor ? "family" : "implementer", 4095, &family);
	if (rc == 0)
		return sd_map_fields_bad(
			r, line, "a CPU has a vendor and a family, or an implementer");
	if (rc > 0)
		rc = sd_map_fields_list(r, group, "models", &cpu->models);
	if (rc == 0)
		return sd_map_fields_bad(r, line, "a CPU has models");
	if (rc > 0)
		rc = sd_map_fields_list(r, group, "steppings", &cpu->steppings);
	cpu->family = (unsigned)family;
	return rc < 0 ? rc : 0;
}

static int read_cpus(const struct sd_mapreader *r, config_setting_t *root)
{
	config_setting_t *list;
	int rc = sd_map_fields_members(r, root, "cpus", CONFIG_TYPE_LIST, CPUS_MAX, &list);

	if (rc <= 0)
		return rc;
	r->map->cpus = calloc((size_t)config_setting_length(list), sizeof *r->map->cpus);
	if (!r->map->cpus)
		return -ENOMEM;
	for (int i = 0; rc >= 0 && i < config_setting_length(list); i++)
		rc = read_cpu(r, config_setting_get_elem(list, (unsigned)i),
			&r->map->cpus[r->map->n_cpus++]);
	return rc;
}

static int read_cores(
	const struct sd_mapreader *r, config_setting_t *group, struct sd_map_cores *cores)
{
	static const char *const keys[] = {"pmu", "family", NULL};
	int rc;

	cores->line = sd_config_fields_line(group);
	if (config_setting_type(group) != CONFIG_TYPE_GROUP)
		return sd_map_fields_bad(r, cores->line, "other cores must be a group { ... }");
	rc = sd_config_fields_only(r->sink, r->map->file, group, keys);
	if (rc >= 0)
		rc = sd_map_fields_text(r, group, "pmu", &cores->pmu);
	if (rc >= 0)
		rc = sd_map_fields_text(r, group, "family", &cores->family);
	if (rc >= 0 && (!cores->pmu || !cores->family || !r->map->core_pmu))
		return sd_map_fields_bad(r, cores->line,
			"other cores have a pmu and a family, beside this map's core_pmu");
	return rc < 0 ? rc : 0;
}

static int read_kinds(const struct sd_mapreader *r, config_setting_t *root)
{
	struct sd_event_map *const m = r->map;
	config_setting_t *list;
	int rc = sd_map_fields_text(r, root, "core_pmu", &m->core_pmu);

	if (rc >= 0)
		rc = sd_map_fields_members(
			r, root, "other_cores", CONFIG_TYPE_LIST, KINDS_MAX, &list);
	if (rc <= 0)
		return rc;
	m->other_cores = calloc((size_t)config_setting_length(list), sizeof *m->other_cores);
	if (!m->other_cores)
		return -ENOMEM;
	for (int i = 0; rc >= 0 && i < config_setting_length(list); i++)
		rc = read_cores(r, config_setting_get_elem(list, (unsigned)i),
			&m->other_cores[m->n_other_cores++]);
	return rc;
}

static int read_libpfm(const struct sd_mapreader *r, config_setting_t *root)
{
	config_setting_t *array;
	const char *name;
	int rc = sd_map_fields_members(r, root, "libpfm", CONFIG_TYPE_ARRAY, NAMES_MAX, &array);

	for (int i = 0; rc > 0 && i < config_setting_length(array); i++) {
		rc = sd_map_fields_text_of(r, config_setting_get_elem(array, (unsigned)i), &name);
		if (rc == 0)
			rc = sd_texts_add(&r->map->libpfm, "%s", name) < 0 ? -ENOMEM : 1;
	}
	return rc < 0 ? rc : 0;
}

static int read_sizes(const struct sd_mapreader *r, config_setting_t *root)
{
	static const char *const keys[] = {"programmable", "without_smt", "fixed", NULL};
	uint64_t programmable = 0, without_smt = 0, fixed = 0;
	config_setting_t *group;
	int rc = sd_map_fields_members(r, root, "counters", CONFIG_TYPE_GROUP, 3, &group);

	if (rc <= 0)
		return rc;
	rc = sd_config_fields_only(r->sink, r->map->file, group, keys);
	if (rc >= 0)
		rc = sd_map_fields_u64(r, group, "programmable", SD_MAP_COUNTERS, &programmable);
	if (rc >= 0)
		rc = sd_map_fields_u64(r, group, "without_smt", SD_MAP_COUNTERS, &without_smt);
	if (rc >= 0)
		rc = sd_map_fields_u64(r, group, "fixed", SD_MAP_COUNTERS, &fixed);
	r->map->programmable = (unsigned)programmable;
	r->map->without_smt = (unsigned)(without_smt ? without_smt : programmable);
	r->map->fixed = (unsigned)fixed;
	return rc < 0 ? rc : 0;
}

static int read_prefetchers(const struct sd_mapreader *r, config_setting_t *root)
{
	static const char *const keys[] = {"msr", "off", "source", NULL};
	struct sd_map_prefetchers *const p = &r->map->prefetchers;
	uint64_t msr = 0;
	config_setting_t *group;
	int rc = sd_map_fields_members(r, root, "prefetchers", CONFIG_TYPE_GROUP, 3, &group);

	if (rc <= 0)
		return rc;
	rc = sd_config_fields_only(r->sink, r->map->file, group, keys);
	if (rc >= 0)
		rc = sd_map_fields_u64(r, group, "msr", UINT32_MAX, &msr);
	if (rc >= 0)
		rc = sd_map_fields_u64(r, group, "off", INT64_MAX, &p->off);
	if (rc >= 0)
		rc = sd_map_fields_text(r, group, "source", &p->source);
	p->msr = (uint32_t)msr;
	if (rc >= 0 && (!p->msr || !p->off || !p->source))
		return sd_map_fields_bad(r, sd_config_fields_line(group),
			"prefetchers have an msr, bits that turn them off, and a source");
	return rc < 0 ? rc : 0;
}

static int read_names(const struct sd_mapreader *r, config_setting_t *root)
{
	static const char *const keys[] = {"family", "title", "libpfm", "encode", "cpus",
		"core_pmu", "other_cores", "counters", "prefetchers", "architectural", "monolithic",
		"fallback", "source", "roles", NULL};
	struct sd_event_map *const m = r->map;
	int rc = sd_config_fields_only(r->sink, r->map->file, root, keys);

	if (rc >= 0)
		rc = sd_map_fields_text(r, root, "family", &m->family);
	if (rc >= 0)
		rc = sd_map_fields_text(r, root, "title", &m->title);
	if (rc >= 0)
		rc = sd_map_fields_text(r, root, "source", &m->source);
	if (rc >= 0)
		rc = sd_map_fields_text(r, root, "encode", &m->encode);
	if (rc >= 0)
		rc = sd_map_fields_text(r, root, "fallback", &m->fallback);
	if (rc > 0)
		m->fallback_line =
			sd_config_fields_line(config_setting_get_member(root, "fallback"));
	if (rc >= 0)
		rc = sd_map_fields_bool(r, root, "architectural", &m->architectural);
	if (rc >= 0)
		rc = sd_map_fields_bool(r, root, "monolithic", &m->monolithic);
	if (rc < 0)
		return rc;
	if (!m->family || !m->title || !m->source)
		return sd_map_fields_bad(r, 0, "a map has a family, a title and a source");
	return 0;
}

static int read_map(const struct sd_mapreader *r, config_setting_t *root, int roles)
{
	int rc = read_names(r, root);

	if (rc == 0)
		rc = read_libpfm(r, root);
	if (rc == 0)
		rc = read_cpus(r, root);
	if (rc >= 0)
		rc = read_kinds(r, root);
	if (rc >= 0)
		rc = read_sizes(r, root);
	if (rc >= 0)
		rc = read_prefetchers(r, root);
	if (rc >= 0 && roles)
		rc = sd_map_roles_read_all(r, root);
	if (rc == 0 && !r->map->encode && r->map->libpfm.n > 0)
		r->map->encode = r->map->libpfm.text[0];
	return rc;
}

/* Refuses what libconfig accepts and a map may not do: end early, or read other files. */
static int check_text(const struct sd_mapreader *r, const char *text, size_t size)
{
	if (size > SD_CONFIG_MAX)
		return sd_map_fields_bad(r, 0, "larger than %zu bytes", SD_CONFIG_MAX);
	return memchr(text, '\0', size) ? sd_map_fields_bad(r, 0, "holds a NUL byte") : 0;
}

static int parse(struct sd_event_map *map, const char *file, const char *text, size_t size,
	int roles, const struct sd_sink *sink)
{
	const struct sd_mapreader r = {.map = map, .sink = sink};
	config_t config;
	char *copy = NULL;
	int rc;

	*map = (struct sd_event_map){.file = strdup(file)};
	rc = map->file ? check_text(&r, text, size) : -ENOMEM;
	if (rc == 0) {
		copy = roles ? strndup(text, size) : sd_map_cpus_text(text, size);
		rc = copy ? sd_config_fields_parse(&config, file, copy, strlen(copy), sink)
			  : -ENOMEM;
	}
	if (rc == 0) {
		rc = read_map(&r, config_root_setting(&config), roles);
		config_destroy(&config);
	}
	free(copy);
	if (rc < 0)
		sd_event_map_free(map);
	return rc;
}

int sd_event_map_parse(struct sd_event_map *map, const char *file, const char *text, size_t size,
	const struct sd_sink *sink)
{
	return parse(map, file, text, size, 1, sink);
}

int sd_map_cpus_parse(struct sd_event_map *map, const char *file, const char *text, size_t size,
	const struct sd_sink *sink)
{
	return parse(map, file, text, size, 0, sink);
}
