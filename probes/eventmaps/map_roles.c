#include "eventmaps/map_roles.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than any CPU's role needs: eight memory channels are the most so far. */
enum { EVENTS_MAX = 16 };
#define WEIGHT_MAX 1e6
#define PERIOD_MAX (UINT64_C(1) << 40)
#define SOURCES 64 /* of a packet: bits of a mask */

_Static_assert(SD_QUALITY_EXACT == 0 && SD_QUALITY_PROXY == 1 && SD_QUALITY_SIMULATED == 2,
	"what a map may say comes first");
static const char *const qualities[] = {
#define X(id, name) [SD_QUALITY_##id] = name,
	SD_QUALITIES(X)
#undef X
};
static const char *const sights[] = {
#define X(id, name) [SD_SIGHT_##id] = name,
	SD_SIGHTS(X)
#undef X
};
static const char *const scopes[] = {
#define X(id, name) [SD_SCOPE_##id] = name,
	SD_SCOPES(X)
#undef X
};

/* A word of a fixed set: its index in *out. 1, 0 when absent, -EINVAL. */
static int one_of(const struct sd_mapreader *r, config_setting_t *group, const char *key,
	const char *const *names, unsigned n, unsigned *out)
{
	const char *text;
	const int rc = sd_map_fields_text(r, group, key, &text);

	if (rc <= 0)
		return rc;
	for (unsigned i = 0; i < n; i++)
		if (strcmp(names[i], text) == 0) {
			*out = i;
			return 1;
		}
	return sd_map_fields_bad(r, sd_config_fields_line(config_setting_get_member(group, key)),
		"%s: '%.60s' is neither %s nor one of its like", key, text, names[0]);
}

static int read_weight(
	const struct sd_mapreader *r, config_setting_t *group, struct sd_map_event *e)
{
	int rc;

	e->weight = 1;
	rc = sd_map_fields_number(r, group, "weight", &e->weight);
	if (rc < 0)
		return rc;
	if (e->weight == 0 || fabs(e->weight) > WEIGHT_MAX)
		return sd_map_fields_bad(
			r, e->line, "weight: must be a number other than 0, of at most a million");
	return 0;
}

static int read_codes(const struct sd_mapreader *r, config_setting_t *group, struct sd_map_event *e)
{
	const uint64_t any = INT64_MAX;
	int rc = sd_map_fields_u64(r, group, "code", any, &e->code);

	if (rc == 0)
		return sd_map_fields_bad(r, e->line, "the event has no code");
	if (rc < 0)
		return rc;
	e->config = e->code;
	rc = sd_map_fields_u64(r, group, "config", any, &e->config);
	if (rc > 0 && !e->pmu)
		return sd_map_fields_bad(
			r, e->line, "config: only beside a pmu; a core takes code");
	if (rc >= 0)
		rc = sd_map_fields_u64(r, group, "config1", any, &e->config1);
	if (rc >= 0)
		rc = sd_map_fields_u64(r, group, "config2", any, &e->config2);
	return rc < 0 ? rc : 0;
}

/* How its samples come. */
static int read_sampling(
	const struct sd_mapreader *r, config_setting_t *group, struct sd_map_event *e)
{
	const char *packets = NULL;
	int rc = sd_map_fields_u64(r, group, "period", PERIOD_MAX, &e->period);

	if (rc >= 0)
		rc = sd_map_fields_text(r, group, "packets", &packets);
	if (rc > 0 && strcmp(packets, "spe") != 0)
		return sd_map_fields_bad(r, e->line, "packets: '%.60s' is not spe", packets);
	e->spe = rc > 0;
	if (e->spe && (!e->pmu || !e->period))
		return sd_map_fields_bad(r, e->line, "packets: only beside a pmu and a period");
	return rc < 0 ? rc : 0;
}

static int read_event(const struct sd_mapreader *r, config_setting_t *group, struct sd_map_event *e)
{
	static const char *const keys[] = {"event", "name", "pmu", "code", "config", "config1",
		"config2", "period", "packets", "weight", NULL};
	int rc;

	*e = (struct sd_map_event){.line = sd_config_fields_line(group)};
	if (config_setting_type(group) != CONFIG_TYPE_GROUP)
		return sd_map_fields_bad(r, e->line, "an event must be a group { ... }");
	rc = sd_config_fields_only(r->sink, r->map->file, group, keys);
	if (rc >= 0)
		rc = sd_map_fields_text(r, group, "event", &e->event);
	if (rc >= 0)
		rc = sd_map_fields_text(r, group, "name", &e->name);
	if (rc >= 0)
		rc = sd_map_fields_text(r, group, "pmu", &e->pmu);
	if (rc < 0)
		return rc;
	if (!e->event && !e->name)
		return sd_map_fields_bad(r, e->line, "the event has neither event nor name");
	/* it becomes part of a path below /sys */
	if (e->pmu && strchr(e->pmu, '/'))
		return sd_map_fields_bad(r, e->line, "pmu: '%.60s' is not a name", e->pmu);
	rc = read_codes(r, group, e);
	if (rc >= 0)
		rc = read_sampling(r, group, e);
	return rc < 0 ? rc : read_weight(r, group, e);
}

static int read_events(
	const struct sd_mapreader *r, config_setting_t *group, struct sd_map_role *role)
{
	config_setting_t *list;
	int rc = sd_map_fields_members(r, group, "events", CONFIG_TYPE_LIST, EVENTS_MAX, &list);

	if (rc <= 0)
		return rc;
	role->events = calloc((size_t)config_setting_length(list), sizeof *role->events);
	if (!role->events)
		return -ENOMEM;
	for (int i = 0; i < config_setting_length(list); i++) {
		rc = read_event(
			r, config_setting_get_elem(list, (unsigned)i), &role->events[role->n++]);
		if (rc < 0)
			return rc;
	}
	return 1;
}

static int read_counters(
	const struct sd_mapreader *r, config_setting_t *group, struct sd_map_role *role)
{
	config_setting_t *array;
	uint64_t fixed;
	int rc = sd_map_fields_members(
		r, group, "counters", CONFIG_TYPE_ARRAY, SD_MAP_COUNTERS, &array);

	for (int i = 0; rc > 0 && i < config_setting_length(array); i++) {
		const config_setting_t *const s = config_setting_get_elem(array, (unsigned)i);
		const int n = config_setting_get_int(s);

		if (config_setting_type(s) != CONFIG_TYPE_INT || n < 0 || n >= SD_MAP_COUNTERS)
			return sd_map_fields_bad(r, sd_config_fields_line(array),
				"counters: a counter is a number from 0 to %d",
				SD_MAP_COUNTERS - 1);
		role->counters |= UINT32_C(1) << n;
	}
	role->fixed = -1;
	if (rc >= 0)
		rc = sd_map_fields_u64(r, group, "fixed", SD_MAP_COUNTERS - 1, &fixed);
	if (rc > 0)
		role->fixed = (int)fixed;
	return rc < 0 ? rc : 0;
}

/* A list of data sources as a mask. */
static int read_sources(
	const struct sd_mapreader *r, config_setting_t *group, const char *key, uint64_t *out)
{
	config_setting_t *array;
	const int rc = sd_map_fields_members(r, group, key, CONFIG_TYPE_ARRAY, SOURCES, &array);

	for (int i = 0; rc > 0 && i < config_setting_length(array); i++) {
		const config_setting_t *const s = config_setting_get_elem(array, (unsigned)i);
		const int n = config_setting_get_int(s);

		if (config_setting_type(s) != CONFIG_TYPE_INT || n < 0 || n >= SOURCES)
			return sd_map_fields_bad(r, sd_config_fields_line(array),
				"%s: a data source is a number from 0 to %d", key, SOURCES - 1);
		*out |= UINT64_C(1) << n;
	}
	return rc;
}

/* Reads what the role sees, as SD_SIGHT_BIT() bits. */
static int read_sees(
	const struct sd_mapreader *r, config_setting_t *group, struct sd_map_role *role)
{
	config_setting_t *list;
	int rc = sd_map_fields_members(r, group, "sees", CONFIG_TYPE_LIST, SD_SIGHT_COUNT, &list);

	for (int i = 0; rc > 0 && i < config_setting_length(list); i++) {
		const char *word;
		unsigned at = 0;

		rc = sd_map_fields_text_of(r, config_setting_get_elem(list, (unsigned)i), &word);
		if (rc < 0)
			return rc;
		while (at < SD_SIGHT_COUNT && strcmp(sights[at], word) != 0)
			at++;
		if (at == SD_SIGHT_COUNT)
			return sd_map_fields_bad(r, sd_config_fields_line(list),
				"sees: '%.60s' is neither %s nor one of its like", word, sights[0]);
		role->sees |= 1u << at;
		rc = 1;
	}
	if (role->scope == SD_SCOPE_CORE)
		role->sees |= SD_SIGHT_BIT(SIBLINGS);
	return rc < 0 ? rc : 0;
}

static int read_leader(
	const struct sd_mapreader *r, config_setting_t *group, struct sd_map_role *role)
{
	const char *name;
	const int rc = sd_map_fields_text(r, group, "leader", &name);

	role->leader = SD_ROLE_COUNT;
	if (rc > 0 && sd_role_parse(name, &role->leader) < 0)
		return sd_map_fields_bad(r, role->line, "leader: '%.60s' is not a role", name);
	return rc < 0 ? rc : 0;
}

/* How its events are to be taken. */
static int read_meaning(
	const struct sd_mapreader *r, config_setting_t *group, struct sd_map_role *role)
{
	unsigned quality = 0, scope = 0;
	/* the first two: no counter of a CPU counts a modelled machine */
	int rc = one_of(r, group, "quality", qualities, SD_QUALITY_SIMULATED, &quality);

	if (rc == 0)
		return sd_map_fields_bad(r, role->line, "quality: must be exact or proxy");
	if (rc > 0)
		rc = one_of(r, group, "scope", scopes, SD_SCOPE_COUNT, &scope);
	if (rc == 0)
		return sd_map_fields_bad(r, role->line, "scope: must be thread, core or socket");
	if (rc > 0)
		rc = sd_map_fields_text(r, group, "also", &role->also);
	if (rc >= 0)
		rc = sd_map_fields_text(r, group, "note", &role->note);
	if (rc >= 0)
		rc = read_counters(r, group, role);
	if (rc >= 0)
		rc = read_leader(r, group, role);
	if (rc >= 0)
		rc = read_sources(r, group, "peers", &role->peers);
	if (rc >= 0)
		rc = read_sources(r, group, "far_peers", &role->far_peers);
	role->quality = (enum sd_quality)quality;
	role->scope = (enum sd_scope)scope;
	return rc < 0 ? rc : read_sees(r, group, role);
}

/* Checks that a proxy says what it stands for, and that a kernel PMU's event counts sockets. */
static int check_role(const struct sd_mapreader *r, const struct sd_map_role *role, enum sd_role id)
{
	if (role->quality == SD_QUALITY_PROXY && !role->note)
		return sd_map_fields_bad(
			r, role->line, "a proxy needs a note that says what it counts");
	for (size_t i = 0; i < role->n; i++)
		if (role->events[i].pmu && !sd_role_is_sampled(id) &&
			role->scope != SD_SCOPE_SOCKET)
			return sd_map_fields_bad(r, role->events[i].line,
				"an event of the PMU %.60s has the scope socket",
				role->events[i].pmu);
	return 0;
}

static int read_role(const struct sd_mapreader *r, config_setting_t *group)
{
	static const char *const keys[] = {"events", "quality", "scope", "counters", "fixed",
		"leader", "peers", "far_peers", "sees", "also", "note", "none", NULL};
	const unsigned line = sd_config_fields_line(group);
	struct sd_map_role *role;
	enum sd_role id;
	int rc;

	if (sd_role_parse(config_setting_name(group), &id) < 0)
		return sd_map_fields_bad(
			r, line, "'%.60s' is not a role", config_setting_name(group));
	if (config_setting_type(group) != CONFIG_TYPE_GROUP)
		return sd_map_fields_bad(r, line, "%s: must be a group { ... }", sd_role_name(id));
	role = &r->map->roles[id];
	*role = (struct sd_map_role){
		.present = 1, .line = line, .fixed = -1, .leader = SD_ROLE_COUNT};
	rc = sd_config_fields_only(r->sink, r->map->file, group, keys);
	if (rc < 0)
		return rc;
	rc = sd_map_fields_text(r, group, "none", &role->none);
	if (rc > 0 && config_setting_length(group) > 1)
		return sd_map_fields_bad(r, line, "%s: none stands alone", sd_role_name(id));
	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = read_events(r, group, role);
	if (rc == 0)
		return sd_map_fields_bad(
			r, line, "%s: has neither events nor none", sd_role_name(id));
	if (rc > 0)
		rc = read_meaning(r, group, role);
	return rc < 0 ? rc : check_role(r, role, id);
}

int sd_map_roles_read_all(const struct sd_mapreader *r, config_setting_t *root)
{
	config_setting_t *group;
	int rc = sd_map_fields_members(r, root, "roles", CONFIG_TYPE_GROUP, SD_ROLE_COUNT, &group);

	if (rc == 0)
		return sd_map_fields_bad(r, 0, "has no roles");
	for (int i = 0; rc >= 0 && i < config_setting_length(group); i++)
		rc = read_role(r, config_setting_get_elem(group, (unsigned)i));
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < SD_ROLE_COUNT; i++) {
		const struct sd_map_role *const role = &r->map->roles[i];

		if (role->present && !role->none && role->leader != SD_ROLE_COUNT &&
			r->map->roles[role->leader].n == 0)
			return sd_map_fields_bad(r, role->line,
				"leader: the map has no events for %s", sd_role_name(role->leader));
	}
	return 0;
}
