/*
 * A role as this machine counts it: its events encoded, and where each is to be opened.
 */
#ifndef SD_TALLY_H
#define SD_TALLY_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "probe/event_encode.h"
#include "probe/event_map.h"
#include "record/run.h"

/* Where a role's counters stand. */
enum sd_tally_where {
	SD_TALLY_TREE,    /* on the process tree, by inheritance */
	SD_TALLY_CORES,   /* on one CPU of every core the run is bound to */
	SD_TALLY_SOCKETS, /* on one CPU of every socket, and for the boxes of a kernel's PMU on the
			     CPUs that it names */
};

struct sd_tally_event {
	struct perf_event_attr attr; /* disabled; inherit and enable_on_exec as `where` asks */
	double weight;
	struct sd_pmuboxes boxes; /* of a kernel's PMU; none: the core's */
};

struct sd_tally_role {
	struct sd_role_count count; /* what each run's count begins with: role, quality, source, …;
				       its status says why the role cannot be counted */
	enum sd_tally_where where;
	enum sd_role leader;          /* must lead its group; SD_ROLE_COUNT = none */
	struct sd_tally_event *event; /* owned */
	size_t n;
};

/* The present machine's map chain, and whether SMT siblings share cores. */
struct sd_tally_machine {
	const struct sd_eventmaps *maps;
	const struct sd_eventmap *map;
	int smt;
	const char *root;
};

/*
 * The map of the present CPU in m->map, of `maps`, which are loaded from `dir` and belong to the
 * caller also on failure. 0; -ENODEV: not even a generic one; -errno of a broken map, said.
 */
int sd_tally_find_map(struct sd_tally_machine *m, struct sd_eventmaps *maps, const char *dir,
	const struct sd_sink *sink);

/*
 * Encodes a role. Its count.value is OK when it is worth a try, else unsupported: the map has no
 * event for it, it does not encode, or the kernel has no such PMU. 0 or -ENOMEM.
 */
int sd_tally_encode(
	struct sd_tally_role *out, const struct sd_tally_machine *machine, enum sd_role role);
void sd_tally_free(struct sd_tally_role *r); /* accepts the zeroed value */

/* Whether two events of the tree count the same. */
int sd_tally_same(const struct sd_tally_event *a, const struct sd_tally_event *b);

/* The CPUs a role's event is opened on: cores of `cpus`, or sockets of the machine. 0; -ENOMEM;
 * other -errno when the topology below `root` cannot be read. */
int sd_tally_cpus(enum sd_tally_where where, const struct sd_cpulist *cpus, const char *root,
	struct sd_cpulist *out);

#endif
