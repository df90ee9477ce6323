/*
 * The cores that a cause's own mechanism takes at the reference already: page faults of memory that
 * one core maps anew each time, calls of malloc, waits for a disk. A fix can take that away as
 * well, beside what was lost with more cores (METHODS 4.4).
 */
#ifndef SD_REFERENCE_COST_H
#define SD_REFERENCE_COST_H

#include "case/case.h"

/* In cores of the last point, >= 0; 0: it takes none there, its fix leaves it, or nobody measured
 * it. */
double sd_reference_cost(const struct sd_case *c, enum sd_cause cause);

#endif
