#include "pmu/modelled_roles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The events that an Intel CPU counts on fixed counters; the kernel takes these for them. */
static const uint64_t fixed_code[] = {0x3c, 0xc0, 0x300, 0x400};

int sd_modelled_roles_map(struct sd_role_events_machine *m, struct sd_eventmaps *maps,
	const struct sd_counter_plan_ask *ask, const struct sd_sink *sink)
{
	const int rc = sd_event_map_set_load(maps, ask->maps, sink);

	if (rc)
		return rc;
	m->map = sd_event_map_set_find(maps, ask->model->family);
	if (m->map)
		return 0;
	sd_say(sink, SD_LEVEL_ERROR, "the machine's family '%s' has no event map",
		ask->model->family);
	return -EINVAL;
}

static const struct sd_modelled_event *find_event(
	const struct sd_modelled_pmu *pmu, const struct sd_map_event *e)
{
	for (size_t i = 0; i < pmu->n; i++)
		if (strcmp(pmu->event[i].name, e->event ? e->event : e->name) == 0)
			return &pmu->event[i];
	return NULL;
}

static void add_event(struct sd_role_events_role *out, size_t i, const struct sd_map_event *e,
	const struct sd_modelled_event *counts)
{
	out->event[i] = (struct sd_role_events_event){.weight = e->weight};
	out->event[i].attr.config = e->code;
	out->event[i].attr.config1 = e->config1;
	/* of a PMU outside the cores: it has counters enough */
	out->event[i].attr.type = e->pmu != NULL;
	for (size_t k = 0; k < SD_MODELLED_COUNT; k++)
		out->modelled[k] += e->weight * counts->weight[k];
}

int sd_modelled_roles_encode(struct sd_role_events_role *out,
	const struct sd_role_events_machine *m, const struct sd_modelled_pmu *pmu,
	enum sd_role role)
{
	const struct sd_event_map *from = NULL;
	const struct sd_map_role *const r = sd_event_map_set_role(m->maps, m->map, role, &from);

	*out = (struct sd_role_events_role){.leader = SD_ROLE_COUNT};
	out->count = (struct sd_role_count){.role = role,
		.value = SD_NOT(UNSUPPORTED),
		.quality = SD_QUALITY_SIMULATED,
		.user = 1};
	snprintf(out->count.source, sizeof out->count.source, "%s",
		from ? from->family : m->map->family);
	if (!r || r->n == 0)
		return 0;
	out->leader = r->leader;
	out->count.sees = sd_event_map_sees(m->map, r);
	out->count.scope = r->scope;
	out->event = calloc(r->n, sizeof *out->event);
	out->modelled = calloc(SD_MODELLED_COUNT, sizeof *out->modelled);
	if (!out->event || !out->modelled)
		return -ENOMEM;
	out->n = r->n;
	for (size_t i = 0; i < r->n; i++) {
		const struct sd_modelled_event *const counts = find_event(pmu, &r->events[i]);

		if (!counts)
			return 0;
		add_event(out, i, &r->events[i], counts);
	}
	out->count.value = SD_OK(0);
	return 0;
}

static int is_fixed(const struct sd_event_map *map, uint64_t code)
{
	for (size_t i = 0; map->fixed && i < sizeof fixed_code / sizeof *fixed_code; i++)
		if (fixed_code[i] == code)
			return 1;
	return 0;
}

/* Is event `event` of member[at] another than all before? */
static int is_new(const struct sd_counting *c, const size_t *member, size_t at, size_t event)
{
	const struct sd_role_events_event *const e = &c->role[member[at]].event[event];

	for (size_t i = 0; i <= at; i++)
		for (size_t k = 0; k < (i < at ? c->role[member[i]].n : event); k++)
			if (sd_role_events_same(&c->role[member[i]].event[k], e))
				return 0;
	return 1;
}

int sd_modelled_roles_fit(
	const struct sd_counting *c, const struct sd_event_map *map, const size_t *member, size_t n)
{
	unsigned needed = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < c->role[member[i]].n; k++) {
			const struct perf_event_attr *const a = &c->role[member[i]].event[k].attr;

			needed += !a->type && !is_fixed(map, a->config) && is_new(c, member, i, k);
		}
	return needed <= map->programmable;
}

int sd_modelled_roles_read(const struct sd_counting *c, unsigned pass,
	const double count[SD_MODELLED_COUNT], struct sd_run *run)
{
	const struct sd_pass *const p = pass < c->passes.n ? &c->passes.pass[pass] : NULL;

	if (!p)
		return 0;
	run->role = calloc(p->n + 1, sizeof *run->role);
	if (!run->role)
		return -ENOMEM;
	run->pass = pass;
	for (size_t i = 0; i < p->n; i++) {
		const struct sd_role_events_role *const r = &c->role[p->member[i]];
		struct sd_role_count *const to = &run->role[run->n_role++];

		*to = r->count;
		to->value = SD_OK(0);
		to->running = 1;
		for (size_t k = 0; k < SD_MODELLED_COUNT; k++)
			to->value.value += r->modelled[k] * count[k];
	}
	return 0;
}
