/*
 * How many cores components hold, and how sure that is (METHODS 3 and 5).
 */
#ifndef SD_CAUSE_WEIGHTS_H
#define SD_CAUSE_WEIGHTS_H

#include "case/case.h"

/* Cores in these components (SD_BIT) of SD_COMPONENT_COUNT. */
double sd_cause_weights_sum(const double *cores, unsigned long components);

/* Share of the last point's cores that was added by these components, with its interval. */
struct sd_interval sd_cause_weights_added(const struct sd_case *c, unsigned long components);

#endif
