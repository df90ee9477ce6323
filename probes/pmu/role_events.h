/*
 * A role as this machine counts it: its events encoded, and where each is to be opened.
 */
#ifndef SD_ROLE_EVENTS_H
#define SD_ROLE_EVENTS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "probe/event_encode.h"
#include "probe/event_map.h"
#include "record/run.h"

/* Where a role's counters stand. */
enum sd_role_events_where {
	SD_ROLE_EVENTS_TREE,    /* on the process tree, by inheritance */
	SD_ROLE_EVENTS_CORES,   /* on one CPU of every core the run is bound to */
	SD_ROLE_EVENTS_SOCKETS, /* on one CPU of every socket, and for the boxes of a kernel's PMU
			     on the CPUs that it names */
};

struct sd_role_events_event {
	struct perf_event_attr attr; /* disabled; inherit and enable_on_exec as `where` asks */
	double weight;
	struct sd_pmuboxes boxes; /* of a kernel's PMU; none: the core's */
};

struct sd_role_events_role {
	struct sd_role_count count; /* what each run's count begins with: role, quality, source, …;
				       its status says why the role cannot be counted */
	enum sd_role_events_where where;
	enum sd_role leader;                /* must lead its group; SD_ROLE_COUNT = none */
	struct sd_role_events_event *event; /* owned */
	size_t n;
};

/* The present machine's map chain, and whether SMT siblings share cores. */
struct sd_role_events_machine {
	const struct sd_eventmaps *maps;
	const struct sd_event_map *map;
	int smt;
	const char *root;
};

/*
 * The map of the present CPU in m->map, of `maps`, which are loaded from `dir` and belong to the
 * caller also on failure. 0; -ENODEV: not even a generic one; -errno of a broken map, said.
 */
int sd_role_events_find_map(struct sd_role_events_machine *m, struct sd_eventmaps *maps,
	const char *dir, const struct sd_sink *sink);

/*
 * Encodes a role. Its count.value is OK when it is worth a try, else unsupported: the map has no
 * event for it, it does not encode, or the kernel has no such PMU. 0 or -ENOMEM.
 */
int sd_role_events_encode(struct sd_role_events_role *out,
	const struct sd_role_events_machine *machine, enum sd_role role);
void sd_role_events_free(struct sd_role_events_role *r); /* accepts the zeroed value */

/* Whether two events of the tree count the same. */
int sd_role_events_same(const struct sd_role_events_event *a, const struct sd_role_events_event *b);

/* The CPUs a role's event is opened on: cores of `cpus`, or sockets of the machine. 0; -ENOMEM;
 * other -errno when the topology below `root` cannot be read. */
int sd_role_events_cpus(enum sd_role_events_where where, const struct sd_cpulist *cpus,
	const char *root, struct sd_cpulist *out);

#endif
