/*
 * Numbers of one finding.
 */
#ifndef SD_FINDING_H
#define SD_FINDING_H

#include "analysis/analysis.h"

/* Without this share of the cores the run would end so much earlier, if all of it lay on the
 * critical path (METHODS 3.1). A gain is not worth anything, and what is lost was useful to none:
 * absent then. */
struct sd_interval sd_finding_worth(struct sd_interval share);

#endif
