#include "views/events_view.h"

#include <errno.h>
#include <jansson.h>

/* Codes are strings: a JSON number does not carry 64 bits everywhere. */
static json_t *hex(uint64_t v)
{
	return json_sprintf("0x%llx", (unsigned long long)v);
}

static json_t *text(const char *s)
{
	return s ? json_string(s) : json_null();
}

static json_t *of_event(const struct sd_event_map *map, const struct sd_map_event *e)
{
	const struct sd_events_code c = sd_events_code_of(map, e);

	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:f, s:i, s:s}", "event", text(e->event),
		"name", text(e->name ? e->name : e->event), "type", sd_events_type(e, &c.code),
		"config", hex(c.code.config), "config1", hex(c.code.config1), "weight", e->weight,
		"precise", (int)c.code.precise, "encoded_by", c.by_libpfm ? "libpfm4" : "map");
}

static json_t *of_events(const struct sd_event_map *map, const struct sd_map_role *role)
{
	json_t *const list = json_array();

	for (size_t i = 0; list && i < role->n; i++)
		if (json_array_append_new(list, of_event(map, &role->events[i])) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

/* null: any */
static json_t *of_counters(const struct sd_map_role *role)
{
	json_t *const list = role->counters ? json_array() : json_null();

	for (int i = 0; list && i < 32; i++)
		if (role->counters >> i & 1 && json_array_append_new(list, json_integer(i)) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

/* The words of the map. */
static json_t *of_sight(const struct sd_map_role *role)
{
	json_t *const list = json_array();

	for (unsigned s = 0; list && s < SD_SIGHT_COUNT; s++)
		if (role->sees >> s & 1 &&
			json_array_append_new(list, json_string(sd_sight_name((enum sd_sight)s))) <
				0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *of_role(
	const struct sd_events_view *v, const struct sd_event_map *map, enum sd_role id)
{
	const struct sd_event_map *from = NULL;
	const struct sd_map_role *const role = sd_event_map_set_role(&v->maps, map, id, &from);
	const int has = role && !role->none;

	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"role", sd_role_name(id), "unit", sd_role_unit(id), "meaning", sd_role_meaning(id),
		"cpu", map->family, "map", text(from ? from->family : NULL), "events",
		has ? of_events(from, role) : json_array(), "none",
		text(has       ? NULL
			: role ? role->none
			       : "no map of the chain mentions it"),
		"quality", text(has ? sd_quality_name(role->quality) : NULL), "scope",
		text(has ? sd_scope_name(role->scope) : NULL), "counters",
		has ? of_counters(role) : json_null(), "fixed",
		has && role->fixed >= 0 ? json_integer(role->fixed) : json_null(), "leader",
		text(has && role->leader != SD_ROLE_COUNT ? sd_role_name(role->leader) : NULL),
		"sees", has ? of_sight(role) : json_array(), "note", text(has ? role->note : NULL));
}

static json_t *of_texts(const struct sd_texts *t)
{
	json_t *const list = json_array();

	for (size_t i = 0; list && i < t->n; i++)
		if (json_array_append_new(list, json_string(t->text[i])) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *of_other_cores(const struct sd_event_map *m)
{
	json_t *const list = json_array();

	for (size_t i = 0; list && i < m->n_other_cores; i++)
		if (json_array_append_new(
			    list, json_pack("{s:s, s:s}", "pmu", m->other_cores[i].pmu, "family",
					  m->other_cores[i].family)) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *of_map(const struct sd_event_map *m)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:{s:i, s:i, s:i}}", "family",
		m->family, "title", m->title, "file", m->file, "source", m->source, "fallback",
		text(m->fallback), "libpfm", of_texts(&m->libpfm), "core_pmu", text(m->core_pmu),
		"other_cores", of_other_cores(m), "counters", "programmable", (int)m->programmable,
		"without_smt", (int)m->without_smt, "fixed", (int)m->fixed);
}

/* A list of maps, and of roles where roles are asked for. */
static int fill(const struct sd_events_view *v, json_t *maps, json_t *roles)
{
	for (size_t i = 0; i < v->maps.n; i++) {
		const struct sd_event_map *const m = &v->maps.map[i];

		if (v->map && v->map != m)
			continue;
		if (json_array_append_new(maps, of_map(m)) < 0)
			return -ENOMEM;
		for (unsigned r = 0; r < SD_ROLE_COUNT; r++) {
			/* every role of every map would be half a megabyte nobody asked for */
			if (v->role == SD_ROLE_COUNT ? !v->map : v->role != r)
				continue;
			if (json_array_append_new(roles, of_role(v, m, (enum sd_role)r)) < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

static json_t *of_machine(const struct sd_events_view *v)
{
	if (!v->here)
		return json_null();
	return json_pack("{s:s, s:s, s:o, s:s}", "cpu", v->cpu, "hypervisor", v->hypervisor,
		"detected", of_texts(&v->pmus), "pmu", sd_status_name(v->pmu));
}

int sd_events_json(FILE *f, const struct sd_events_view *v)
{
	json_t *const maps = json_array(), *const roles = json_array();
	json_t *root;
	int rc = maps && roles ? fill(v, maps, roles) : -ENOMEM;

	/* takes both, also on failure */
	root = json_pack("{s:i, s:{s:s, s:s}, s:o, s:o, s:o}", "schema", 1, "tool", "name",
		"scalediag", "version", SD_VERSION, "machine", of_machine(v), "maps", maps, "roles",
		roles);
	if (rc == 0 && !root)
		rc = -ENOMEM;
	if (rc == 0 && (json_dumpf(root, f, JSON_INDENT(2)) < 0 || fputc('\n', f) == EOF))
		rc = -EIO;
	json_decref(root);
	return rc;
}
