/*
 * The borders of the machine that a core count crosses: a socket, a NUMA node, a last-level cache,
 * a kind of core, SMT siblings that no measured count used (METHODS 6.1).
 */
#ifndef SD_MACHINE_BORDERS_H
#define SD_MACHINE_BORDERS_H

#include "runs/run_selection.h"

struct sd_reach {
	int known;          /* the record says what the CPUs share */
	unsigned same;      /* counts up to this one need only CPUs like those of the point */
	const char *border; /* static; what one more crosses: "another socket"; NULL: the machine
			       has no more CPUs */
};

/* How far the CPUs go that are like those of a point. 0 or -ENOMEM. */
int sd_machine_borders_make(
	const struct sd_record *r, const struct sd_chosen *last, struct sd_reach *out);

/*
 * Do two points use cores in the same way: as many kinds of core, and as many threads on one? The
 * curve of two that do not is two curves (METHODS 3, SMT). True when the record does not know.
 */
int sd_machine_borders_alike(
	const struct sd_record *r, const struct sd_chosen *a, const struct sd_chosen *b);

#endif
