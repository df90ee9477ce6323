#include "views/events_view.h"

#include "render/json_values.h"

/* Codes are strings: a JSON number does not carry 64 bits everywhere. */
static json_t *hex(uint64_t v)
{
	return json_sprintf("0x%llx", (unsigned long long)v);
}

static json_t *of_event(const struct sd_event_map *map, const struct sd_map_event *e)
{
	const struct sd_events_code c = sd_events_code_of(map, e);

	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:f, s:i, s:s}", "event",
		sd_json_text(e->event), "name", sd_json_text(e->name ? e->name : e->event), "type",
		sd_events_type(e, &c.code), "config", hex(c.code.config), "config1",
		hex(c.code.config1), "weight", e->weight, "precise", (int)c.code.precise,
		"encoded_by", c.by_libpfm ? "libpfm4" : "map");
}

static json_t *of_events(const struct sd_event_map *map, const struct sd_map_role *role)
{
	json_t *list = json_array();

	for (size_t i = 0; i < role->n; i++)
		sd_json_add(&list, of_event(map, &role->events[i]));
	return list;
}

/* null: any */
static json_t *of_counters(const struct sd_map_role *role)
{
	json_t *list = role->counters ? json_array() : json_null();

	for (int i = 0; i < 32; i++)
		if (role->counters >> i & 1)
			sd_json_add(&list, json_integer(i));
	return list;
}

/* The words of the map. */
static json_t *of_sight(const struct sd_map_role *role)
{
	json_t *list = json_array();

	for (unsigned s = 0; s < SD_SIGHT_COUNT; s++)
		if (role->sees >> s & 1)
			sd_json_add(&list, json_string(sd_sight_name((enum sd_sight)s)));
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
		"cpu", map->family, "map", sd_json_text(from ? from->family : NULL), "events",
		has ? of_events(from, role) : json_array(), "none",
		sd_json_text(has    ? NULL
			     : role ? role->none
				    : "no map of the chain mentions it"),
		"quality", sd_json_text(has ? sd_quality_name(role->quality) : NULL), "scope",
		sd_json_text(has ? sd_scope_name(role->scope) : NULL), "counters",
		has ? of_counters(role) : json_null(), "fixed",
		has && role->fixed >= 0 ? json_integer(role->fixed) : json_null(), "leader",
		sd_json_text(
			has && role->leader != SD_ROLE_COUNT ? sd_role_name(role->leader) : NULL),
		"sees", has ? of_sight(role) : json_array(), "note",
		sd_json_text(has ? role->note : NULL));
}

static json_t *of_other_cores(const struct sd_event_map *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n_other_cores; i++)
		sd_json_add(&list, json_pack("{s:s, s:s}", "pmu", m->other_cores[i].pmu, "family",
					   m->other_cores[i].family));
	return list;
}

static json_t *of_map(const struct sd_event_map *m)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:{s:i, s:i, s:i}}", "family",
		m->family, "title", m->title, "file", m->file, "source", m->source, "fallback",
		sd_json_text(m->fallback), "libpfm", sd_json_texts(&m->libpfm), "core_pmu",
		sd_json_text(m->core_pmu), "other_cores", of_other_cores(m), "counters",
		"programmable", (int)m->programmable, "without_smt", (int)m->without_smt, "fixed",
		(int)m->fixed);
}

/* A list of maps, and of roles where roles are asked for. */
static void fill(const struct sd_events_view *v, json_t **maps, json_t **roles)
{
	for (size_t i = 0; i < v->maps.n; i++) {
		const struct sd_event_map *const m = &v->maps.map[i];

		if (v->map && v->map != m)
			continue;
		sd_json_add(maps, of_map(m));
		/* every role of every map would be half a megabyte nobody asked for */
		for (unsigned r = 0; r < SD_ROLE_COUNT; r++)
			if (v->role == SD_ROLE_COUNT ? v->map != NULL : v->role == r)
				sd_json_add(roles, of_role(v, m, (enum sd_role)r));
	}
}

static json_t *of_machine(const struct sd_events_view *v)
{
	if (!v->here)
		return json_null();
	return json_pack("{s:s, s:s, s:o, s:s}", "cpu", v->cpu, "hypervisor", v->hypervisor,
		"detected", sd_json_texts(&v->pmus), "pmu", sd_status_name(v->pmu));
}

int sd_events_json(FILE *f, const struct sd_events_view *v)
{
	json_t *maps = json_array(), *roles = json_array();

	fill(v, &maps, &roles);
	return sd_json_print(f, json_pack("{s:i, s:{s:s, s:s}, s:o, s:o, s:o}", "schema", 1, "tool",
					"name", "scalediag", "version", SD_VERSION, "machine",
					of_machine(v), "maps", maps, "roles", roles));
}
