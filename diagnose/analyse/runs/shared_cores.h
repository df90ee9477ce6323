/*
 * Whoever uses the other hardware threads of a run's cores, unseen: on a virtual machine whose
 * hypervisor shows hardware threads as cores. What they may have done to the times that are
 * compared, by the width of the CPUs (METHODS 5).
 */
#ifndef SD_SHARED_CORES_H
#define SD_SHARED_CORES_H

#include "runs/run_selection.h"

/* All at most: they are those of a program that loses as much as additions do. */
struct sd_shared_cores {
	int known;
	int comparable;   /* the widths of the two points mean the same */
	double whole;     /* width of a core that is not shared */
	double ref, last; /* mean widths of the two points' runs */
	double more;      /* the efficiency may be that many times what was seen, >= 1 */
	double less;      /* or that many times, <= 1 */
	double uneven;    /* share of the last point's cores that idles beside the narrowest */
};

/*
 * What the widths of the runs of two points say. Points that use hardware threads of one core by
 * themselves, or different kinds of core, are not comparable by them: then only `uneven` is known.
 */
struct sd_shared_cores sd_shared_cores_make(
	const struct sd_record *r, const struct sd_chosen *ref, const struct sd_chosen *last);

#endif
