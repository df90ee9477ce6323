/*
 * The machine borders that a core count crosses: a socket, NUMA node, last-level cache, kind of
 * core, or SMT siblings that no measured count used (METHODS 6.1).
 */
#ifndef SD_MACHINE_BORDERS_H
#define SD_MACHINE_BORDERS_H

#include "runs/run_selection.h"

struct sd_reach {
	int known;          /* the record says what the CPUs share */
	unsigned same;      /* counts up to this one need only CPUs like those of the point */
	const char *border; /* static; what one more core crosses: "another socket"; NULL: the
			       machine has no more CPUs */
};

/* How many cores of the kind a point uses there are. 0 or -ENOMEM. */
int sd_machine_borders_make(
	const struct sd_record *r, const struct sd_chosen *last, struct sd_reach *out);

/*
 * Do two points use cores in the same way, with equally many kinds of core and threads on a core?
 * Otherwise they belong to different curves (METHODS 3, SMT). True if the record does not tell.
 */
int sd_machine_borders_alike(
	const struct sd_record *r, const struct sd_chosen *a, const struct sd_chosen *b);

#endif
