/*
 * The roles of a family's map on the PMU of a modelled machine (modelled_pmu.h): which of them it
 * can count, which fit its counters together, and what they are after a run.
 */
#ifndef SD_MODELLED_ROLES_H
#define SD_MODELLED_ROLES_H

#include "pmu/counter_set.h"
#include "probe/modelled_pmu.h"

/* Loads `maps` (owned by the caller, also on failure), and sets machine->map to that of the family
 * that is modelled. 0, or -errno after a message. */
int sd_modelled_roles_map(struct sd_role_events_machine *machine, struct sd_eventmaps *maps,
	const struct sd_counter_plan_ask *ask, const struct sd_sink *sink);

/* Like sd_role_events_encode(): unsupported unless the model has every event of the role. */
int sd_modelled_roles_encode(struct sd_role_events_role *out,
	const struct sd_role_events_machine *machine, const struct sd_modelled_pmu *pmu,
	enum sd_role role);

/* Do the events of these roles have a counter each? */
int sd_modelled_roles_fit(const struct sd_counting *c, const struct sd_event_map *map,
	const size_t *member, size_t n);

/* Fills the run with the roles of a pass. `count`: what the model counted. 0 or -ENOMEM. */
int sd_modelled_roles_read(const struct sd_counting *c, unsigned pass,
	const double count[SD_MODELLED_COUNT], struct sd_run *run);

#endif
