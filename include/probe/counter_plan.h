/*
 * The plan of hardware counting: which roles of this CPU's map are counted together, in passes that
 * fit its counters. Made once, before the plan of runs; the probe `roles` then counts one pass in
 * each run.
 */
#ifndef SD_COUNTER_PLAN_H
#define SD_COUNTER_PLAN_H

#include <stddef.h>

#include "record/plan.h"
#include "record/role.h"
#include "record/run.h"
#include "base/sink.h"

struct sd_modelled_pmu;
struct sd_counting; /* opaque: encoded events, grouped */

struct sd_counter_plan_ask {
	const enum sd_role
		*role; /* wanted, most important first; NULL: all of the map with scope thread */
	size_t n_role;
	/*
	 * Instead of `role`, if given: called once the CPU's family is known and every role of its
	 * map has been tried (`can`, by role: it can be counted). Writes the roles to count, most
	 * important first, into `out` (room for SD_ROLE_COUNT) and their number into *n. Returns 0,
	 * or -errno after reporting it.
	 */
	int (*choose)(void *ctx, const char *family, const unsigned char *can, enum sd_role *out,
		size_t *n);
	void *ctx;
	const struct sd_modelled_pmu *model; /* the PMU of a modelled machine instead of this one's;
						copied from */
	size_t most;      /* maximum number of passes, first roles first; 0 = no limit */
	int multiplex;    /* everything in one pass, multiplexed by the kernel */
	const char *root; /* prefix of /proc and /sys; NULL or "" = this machine */
	const char *maps; /* folder of the maps; NULL = those built in */
};

/*
 * Checks the CPU, its map and what the kernel opens (each event is tried once on this process), and
 * packs the roles into passes. 0; -ENODEV: no hardware counters here; -EACCES: there may be some,
 * but not for us; -EBUSY: others hold all of them; any other -errno. Says a message only for
 * something broken (a map that does not parse), not for something absent. *out is NULL on failure.
 */
int sd_counter_plan_open(struct sd_counting **out, const struct sd_counter_plan_ask *ask,
	const struct sd_sink *sink);
void sd_counter_plan_free(struct sd_counting *c); /* accepts NULL */

/* The map's family, as in sd_role_count.source. */
const char *sd_counter_plan_source(const struct sd_counting *c);

/* Stores in *out whether a role can be counted (value ok) or why not, with quality and scope. *out
 * is unchanged if the role was not asked for. */
void sd_counter_plan_role(
	const struct sd_counting *c, enum sd_role role, struct sd_role_count *out);

/* Writes the passes into a plan that has none. 0 or -ENOMEM (plan unchanged). */
int sd_counter_plan(const struct sd_counting *c, struct sd_plan *plan);

/* Does a recorded plan have exactly these passes, so that it can be resumed? `c` NULL: no passes.
 */
int sd_counter_plan_fits(const struct sd_counting *c, const struct sd_plan *plan);

#endif
