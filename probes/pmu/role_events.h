/*
 * A role as this machine counts it: its encoded events and where to open them.
 */
#ifndef SD_ROLE_EVENTS_H
#define SD_ROLE_EVENTS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "probe/event_encode.h"
#include "probe/event_map.h"
#include "record/run.h"

/* Places at which a role's counters are opened. */
enum sd_role_events_where {
	SD_ROLE_EVENTS_TREE,    /* on the process tree, by inheritance */
	SD_ROLE_EVENTS_CORES,   /* on one CPU of every core the run is bound to */
	SD_ROLE_EVENTS_SOCKETS, /* on one CPU of every socket; for the boxes of a kernel PMU on the
				   CPUs it names */
};

struct sd_role_events_event {
	struct perf_event_attr attr; /* disabled; inherit and enable_on_exec as `where` asks */
	double weight;
	struct sd_pmuboxes boxes; /* of a kernel PMU; none: the core's */
};

struct sd_role_events_role {
	struct sd_role_count count; /* template of each run's count: role, quality, source, …; its
				       status says why the role cannot be counted */
	enum sd_role_events_where where;
	enum sd_role leader;                /* must lead its group; SD_ROLE_COUNT = none */
	struct sd_role_events_event *event; /* owned */
	size_t n;
	double *modelled; /* owned; weights of the counts of a modelled machine; NULL: of a PMU */
};

/* This machine's map chain, and whether it has SMT. */
struct sd_role_events_machine {
	const struct sd_eventmaps *maps;
	const struct sd_event_map *map;
	int smt;
	const char *root;
};

/*
 * Loads `maps` from `dir` (owned by the caller, also on failure) and sets m->map to that of this
 * CPU. 0; -ENODEV: not even a generic one; -errno with one message said: a broken map.
 */
int sd_role_events_find_map(struct sd_role_events_machine *m, struct sd_eventmaps *maps,
	const char *dir, const struct sd_sink *sink);

/*
 * Encodes a role. count.value is OK if it may be countable, else unsupported: the map has no event,
 * it does not encode, or the kernel has no such PMU. 0 or -ENOMEM.
 */
int sd_role_events_encode(struct sd_role_events_role *out,
	const struct sd_role_events_machine *machine, enum sd_role role);
void sd_role_events_free(struct sd_role_events_role *r); /* accepts the zeroed value */

/* Do two events of the tree count the same? */
int sd_role_events_same(const struct sd_role_events_event *a, const struct sd_role_events_event *b);

/* The CPUs a role's event is opened on: cores of `cpus`, or sockets of the machine. 0; -ENOMEM;
 * another -errno if the topology below `root` cannot be read. */
int sd_role_events_cpus(enum sd_role_events_where where, const struct sd_cpulist *cpus,
	const char *root, struct sd_cpulist *out);

#endif
