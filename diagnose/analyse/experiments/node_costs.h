/*
 * Whether the costs on this node, which nobody has calibrated, are wanted.
 */
#ifndef SD_NODE_COSTS_H
#define SD_NODE_COSTS_H

#include "analysis/analysis.h"
#include "record/record.h"

/* Is a cause open of which they would say more of what was counted, and is there the time to
 * measure them? Beside a cause that was found, one of which nothing speaks would change no answer.
 */
int sd_node_costs_wanted(const struct sd_record *r, const struct sd_analysis *a);

#endif
