/*
 * Invisible users of the sibling hardware threads of a run's cores, on a virtual machine whose
 * hypervisor presents hardware threads as cores: bounds on their effect on the compared times, by
 * the width of the CPUs (METHODS 2.3.10).
 */
#ifndef SD_SHARED_CORES_H
#define SD_SHARED_CORES_H

#include "runs/run_selection.h"

/* All are upper bounds, valid for a program that loses as much as additions do. */
struct sd_shared_cores {
	int known;
	int comparable;   /* the widths of the two points are comparable */
	double whole;     /* width of a core that is not shared */
	double ref, last; /* mean widths of the two points' runs */
	double more;      /* the true efficiency is at most that many times the observed, >= 1 */
	double less;      /* and at least that many times, <= 1 */
	double uneven; /* share of the last point's cores that may idle waiting for the narrowest */
};

/*
 * Evaluates the widths of two points' runs. Points that themselves use several hardware threads of
 * a core, or different kinds of core, are not comparable: then only `uneven` is known.
 */
struct sd_shared_cores sd_shared_cores_make(
	const struct sd_record *r, const struct sd_chosen *ref, const struct sd_chosen *last);

#endif
