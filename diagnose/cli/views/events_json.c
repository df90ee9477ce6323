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

	return sd_json("event", e->event, "name", e->name ? e->name : e->event, "type",
		sd_events_type(e, &c.code), "config", hex(c.code.config), "config1",
		hex(c.code.config1), "weight", e->weight, "precise", c.code.precise, "encoded_by",
		c.by_libpfm ? "libpfm4" : "map");
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

	return sd_json("role", sd_role_name(id), "unit", sd_role_unit(id), "meaning",
		sd_role_meaning(id), "cpu", map->family, "map", from ? from->family : NULL,
		"events", has ? of_events(from, role) : json_array(), "none",
		has    ? NULL
		: role ? role->none
		       : "no map of the chain mentions it",
		"quality", has ? sd_quality_name(role->quality) : NULL, "scope",
		has ? sd_scope_name(role->scope) : NULL, "counters",
		has ? of_counters(role) : json_null(), "fixed",
		has && role->fixed >= 0 ? json_integer(role->fixed) : json_null(), "leader",
		has && role->leader != SD_ROLE_COUNT ? sd_role_name(role->leader) : NULL, "sees",
		has ? of_sight(role) : json_array(), "note", has ? role->note : NULL);
}

static json_t *of_other_cores(const struct sd_event_map *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n_other_cores; i++)
		sd_json_add(&list,
			sd_json("pmu", m->other_cores[i].pmu, "family", m->other_cores[i].family));
	return list;
}

static json_t *of_map(const struct sd_event_map *m)
{
	return sd_json("family", m->family, "title", m->title, "file", m->file, "source", m->source,
		"fallback", m->fallback, "libpfm", &m->libpfm, "core_pmu", m->core_pmu,
		"other_cores", of_other_cores(m), "counters",
		sd_json("programmable", m->programmable, "without_smt", m->without_smt, "fixed",
			m->fixed));
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
	return sd_json("cpu", v->cpu, "hypervisor", v->hypervisor, "detected", &v->pmus, "pmu",
		sd_status_name(v->pmu));
}

int sd_events_json(FILE *f, const struct sd_events_view *v)
{
	json_t *out = sd_json_head(NULL), *maps = json_array(), *roles = json_array();

	fill(v, &maps, &roles);
	sd_json_put(&out, "machine", of_machine(v), "maps", maps, "roles", roles);
	return sd_json_print(f, out);
}
