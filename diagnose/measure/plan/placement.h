/*
 * Placement: which CPUs are used for n cores.
 */
#ifndef SD_PLACEMENT_H
#define SD_PLACEMENT_H

#include "base/cpulist.h"
#include "record/options.h"
#include "machine/topology.h"

/*
 * The first n CPUs in placement order, n <= t->n_pu. A longer list of the same placement starts
 * with the shorter one, so that points differ only in the CPUs added.
 *
 *   compact  one PU a core, filling LLC domain, NUMA node and package before the next; SMT siblings
 *            only after every core has one
 *   spread   one PU a core, taking turns among packages, within them among NUMA nodes, within them
 *            among LLC domains; siblings last
 *   smt      like compact, but all PUs of a core before the next core
 *
 * All three use fast core kinds before slower ones. If several NUMA nodes share one LLC, the node
 * is the smaller domain. 0, -EINVAL (n is 0 or too large) or -ENOMEM; *out empty on failure.
 */
int sd_placement_of(const struct sd_topology *t, enum sd_placement placement, unsigned n,
	struct sd_cpulist *out);

#endif
