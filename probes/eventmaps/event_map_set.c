#include "probe/event_map.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/configs.h"
#include "eventmaps/map_cpus.h"

void sd_event_map_set_free(struct sd_eventmaps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		sd_event_map_free(&maps->map[i]);
	free(maps->map);
	*maps = (struct sd_eventmaps){0};
}

static const struct sd_event_map *by_family(const struct sd_eventmaps *maps, const char *family)
{
	for (size_t i = 0; family && i < maps->n; i++) {
		assert(maps->map[i].family); /* no map is read without */
		if (strcasecmp(maps->map[i].family, family) == 0)
			return &maps->map[i];
	}
	return NULL;
}

static int has_name(const struct sd_texts *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcasecmp(names->text[i], name) == 0)
			return 1;
	return 0;
}

const struct sd_event_map *sd_event_map_set_find(const struct sd_eventmaps *maps, const char *name)
{
	const struct sd_event_map *m = by_family(maps, name);

	for (size_t i = 0; !m && i < maps->n; i++)
		if (has_name(&maps->map[i].libpfm, name))
			m = &maps->map[i];
	return m;
}

static const struct sd_event_map *next(
	const struct sd_eventmaps *maps, const struct sd_event_map *map)
{
	return map->fallback ? by_family(maps, map->fallback) : NULL;
}

static int means(const struct sd_map_cpu *cpu, const struct sd_cpuid *id)
{
	return strcmp(cpu->vendor ? cpu->vendor : "", id->vendor) == 0 &&
	       cpu->family == id->family && sd_cpulist_has(&cpu->models, id->model) &&
	       (cpu->steppings.n == 0 || sd_cpulist_has(&cpu->steppings, id->stepping));
}

static const struct sd_event_map *by_pmu(
	const struct sd_eventmaps *maps, const struct sd_texts *pmus, int architectural)
{
	for (size_t i = 0; i < maps->n; i++)
		for (size_t p = 0; p < pmus->n; p++)
			if (maps->map[i].architectural == architectural &&
				has_name(&maps->map[i].libpfm, pmus->text[p]))
				return &maps->map[i];
	return NULL;
}

static const struct sd_event_map *by_cpu(
	const struct sd_eventmaps *maps, const struct sd_cpuid *id, int architectural)
{
	for (size_t i = 0; id->known && i < maps->n; i++)
		for (size_t c = 0; c < maps->map[i].n_cpus; c++)
			if (maps->map[i].architectural == architectural &&
				means(&maps->map[i].cpus[c], id))
				return &maps->map[i];
	return NULL;
}

const struct sd_event_map *sd_event_map_set_select(
	const struct sd_eventmaps *maps, const struct sd_texts *pmus, const struct sd_cpuid *id)
{
	const struct sd_event_map *m = by_pmu(maps, pmus, 0);

	if (!m)
		m = by_cpu(maps, id, 0);
	if (!m)
		m = by_pmu(maps, pmus, 1);
	if (!m)
		m = by_cpu(maps, id, 1);
	return m ? m : by_family(maps, "generic");
}

const struct sd_map_role *sd_event_map_set_role(const struct sd_eventmaps *maps,
	const struct sd_event_map *map, enum sd_role role, const struct sd_event_map **from)
{
	for (; map; map = next(maps, map))
		if (map->roles[role].present) {
			if (from)
				*from = map;
			return &map->roles[role];
		}
	return NULL;
}

/* ---- reading them ---- */

/* Parser of one kind of file: sd_event_map_parse() or sd_map_cpus_parse(). */
typedef int parse_fn(struct sd_event_map *map, const char *file, const char *text, size_t size,
	const struct sd_sink *sink);

static int load_one(struct sd_eventmaps *maps, const struct sd_config *config, parse_fn *parse,
	const struct sd_sink *sink)
{
	const struct sd_event_map *twin;
	struct sd_event_map map;
	const int rc = parse(&map, config->name, config->text, config->size, sink);

	if (rc < 0)
		return rc;
	twin = by_family(maps, map.family);
	if (twin) {
		sd_say(sink, SD_LEVEL_ERROR, "%s: family '%s' is told by %s already", map.file,
			map.family, twin->file);
		sd_event_map_free(&map);
		return -EINVAL;
	}
	maps->map[maps->n++] = map;
	return 0;
}

/* A PMU that libpfm4 detects means one map. */
static int check_names(const struct sd_eventmaps *maps, const struct sd_sink *sink)
{
	for (size_t i = 0; i < maps->n; i++)
		for (size_t k = 0; k < i; k++)
			for (size_t n = 0; n < maps->map[i].libpfm.n; n++)
				if (has_name(&maps->map[k].libpfm, maps->map[i].libpfm.text[n])) {
					sd_say(sink, SD_LEVEL_ERROR,
						"%s: libpfm: '%s' is the PMU of %s already",
						maps->map[i].file, maps->map[i].libpfm.text[n],
						maps->map[k].file);
					return -EINVAL;
				}
	return 0;
}

/* Every fallback is there, and every chain ends. */
static int check_chains(const struct sd_eventmaps *maps, const struct sd_sink *sink)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct sd_event_map *const first = &maps->map[i];
		const struct sd_event_map *m = first;
		size_t links = 0;

		if (first->fallback && !next(maps, first)) {
			sd_say(sink, SD_LEVEL_ERROR, "%s:%u: fallback: there is no map '%s'",
				first->file, first->fallback_line, first->fallback);
			return -EINVAL;
		}
		while (m && links++ <= maps->n)
			m = next(maps, m);
		if (m) {
			sd_say(sink, SD_LEVEL_ERROR, "%s:%u: fallback: the chain leads back",
				first->file, first->fallback_line);
			return -EINVAL;
		}
	}
	return 0;
}

/* The maps of other cores are there. */
static int check_cores(const struct sd_eventmaps *maps, const struct sd_sink *sink)
{
	for (size_t i = 0; i < maps->n; i++)
		for (size_t k = 0; k < maps->map[i].n_other_cores; k++) {
			const struct sd_map_cores *const cores = &maps->map[i].other_cores[k];

			if (by_family(maps, cores->family))
				continue;
			sd_say(sink, SD_LEVEL_ERROR, "%s:%u: other_cores: there is no map '%s'",
				maps->map[i].file, cores->line, cores->family);
			return -EINVAL;
		}
	return 0;
}

/* The files, in the order of their names. */
struct files {
	struct sd_config *config;
	size_t n;
};

static void free_files(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		sd_config_free(&f->config[i]);
	free(f->config);
}

static int read_files(struct files *f, const char *dir, const struct sd_sink *sink)
{
	struct sd_texts names = {0};
	int rc = sd_configs_list(dir, "events", &names, sink);

	if (!rc && names.n == 0) {
		sd_say(sink, SD_LEVEL_ERROR, "%s/events: holds no maps", dir ? dir : "configs");
		rc = -ENOENT;
	}
	if (!rc)
		f->config = calloc(names.n, sizeof *f->config);
	if (!rc && !f->config)
		rc = -ENOMEM;
	while (!rc && f->n < names.n) {
		rc = sd_configs_get(dir, names.text[f->n], &f->config[f->n], sink);
		f->n += !rc;
	}
	sd_texts_free(&names);
	return rc;
}

static int load_all(struct sd_eventmaps *maps, const struct files *f, parse_fn *parse,
	const struct sd_sink *sink)
{
	int rc = 0;

	maps->map = calloc(f->n, sizeof *maps->map);
	if (!maps->map)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < f->n; i++)
		rc = load_one(maps, &f->config[i], parse, sink);
	if (rc == 0)
		rc = check_names(maps, sink);
	if (rc == 0)
		rc = check_cores(maps, sink);
	return rc == 0 ? check_chains(maps, sink) : rc;
}

/* Reads a map that was read without its roles once more, with them. */
static int add_roles(
	struct sd_event_map *map, const struct sd_config *config, const struct sd_sink *sink)
{
	struct sd_event_map whole;
	const int rc = sd_event_map_parse(&whole, config->name, config->text, config->size, sink);

	if (rc)
		return rc;
	sd_event_map_free(map);
	*map = whole;
	return 0;
}

/* Adds roles to a map and its chain, where they are not read yet. A map without roles is none. */
static int add_chain(struct sd_eventmaps *maps, const struct files *f, const struct sd_event_map *m,
	const struct sd_sink *sink)
{
	int rc = 0;

	for (; rc == 0 && m; m = next(maps, m)) {
		const size_t at = (size_t)(m - maps->map);
		int read = 0;

		for (size_t r = 0; r < SD_ROLE_COUNT; r++)
			read |= m->roles[r].present;
		if (!read)
			rc = add_roles(&maps->map[at], &f->config[at], sink);
	}
	return rc;
}

static int finish(struct sd_eventmaps *maps, struct files *f, int rc, const struct sd_sink *sink)
{
	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "event maps: %s", strerror(ENOMEM));
	free_files(f);
	if (rc < 0)
		sd_event_map_set_free(maps);
	return rc;
}

int sd_event_map_set_load(struct sd_eventmaps *maps, const char *dir, const struct sd_sink *sink)
{
	struct files f = {0};
	int rc;

	*maps = (struct sd_eventmaps){0};
	rc = read_files(&f, dir, sink);
	if (rc == 0)
		rc = load_all(maps, &f, sd_event_map_parse, sink);
	return finish(maps, &f, rc, sink);
}

int sd_event_map_set_load_for(struct sd_eventmaps *maps, const char *dir,
	const struct sd_texts *pmus, const struct sd_cpuid *id, const struct sd_sink *sink)
{
	const struct sd_event_map *m = NULL;
	struct files f = {0};
	int rc;

	*maps = (struct sd_eventmaps){0};
	rc = read_files(&f, dir, sink);
	if (rc == 0)
		rc = load_all(maps, &f, sd_map_cpus_parse, sink);
	if (rc == 0)
		m = sd_event_map_set_select(maps, pmus, id);
	if (rc == 0)
		rc = add_chain(maps, &f, m, sink);
	for (size_t i = 0; rc == 0 && m && i < m->n_other_cores; i++)
		rc = add_chain(maps, &f, by_family(maps, m->other_cores[i].family), sink);
	return finish(maps, &f, rc, sink);
}
