/*
 * Counting hardware events: which roles of the present CPU's map are counted together, in passes
 * that fit its counters. Made once, before the plan; the probe `roles` then counts one pass a run.
 */
#ifndef SD_COUNTER_PLAN_H
#define SD_COUNTER_PLAN_H

#include <stddef.h>

#include "record/plan.h"
#include "record/role.h"
#include "record/run.h"
#include "base/sink.h"

struct sd_counting; /* opaque: encoded events, grouped */

struct sd_counter_plan_ask {
	const enum sd_role *role; /* wanted, most important first; NULL: all the map has of scope
				     thread */
	size_t n_role;
	size_t most;      /* passes at most, those of the first roles; 0 = no limit */
	int multiplex;    /* one pass of everything: the counters take turns */
	const char *root; /* prefix of /proc and /sys; NULL or "" = this machine */
	const char *maps; /* folder of the maps; NULL = those built in */
};

/*
 * Looks at the CPU, its map and what the kernel opens (each event is tried once, on this process),
 * and packs the roles into passes. 0; -ENODEV: no hardware counter here; -EACCES: there may be one,
 * but not for us; -EBUSY: others hold all of them now; any other -errno. Only what is broken is
 * said (a map that does not parse), not what is absent. *out is NULL on failure.
 */
int sd_counter_plan_open(struct sd_counting **out, const struct sd_counter_plan_ask *ask,
	const struct sd_sink *sink);
void sd_counter_plan_free(struct sd_counting *c); /* accepts NULL */

/* The map's family, as in sd_role_count.source. */
const char *sd_counter_plan_source(const struct sd_counting *c);

/* Whether a role can be counted (value ok) or why not, with quality and scope, into *out; left
 * alone when the role was not asked for. */
void sd_counter_plan_role(
	const struct sd_counting *c, enum sd_role role, struct sd_role_count *out);

/* Writes the passes into the plan, which has none yet. 0 or -ENOMEM (the plan unchanged). */
int sd_counter_plan(const struct sd_counting *c, struct sd_plan *plan);

/* Whether a recorded plan has just these passes, so that it can be gone on with. `c` may be NULL:
 * no passes. */
int sd_counter_plan_fits(const struct sd_counting *c, const struct sd_plan *plan);

#endif
