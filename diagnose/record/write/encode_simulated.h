/*
 * What the software PMU saw, and how it is planned, as JSON. Nodes and texts are numbers of the
 * record's stacks.
 */
#ifndef SD_ENCODE_SIMULATED_H
#define SD_ENCODE_SIMULATED_H

#include <jansson.h>

#include "record/plan.h"
#include "record/memory_sampled.h"
#include "record/simulated.h"

/* New references; NULL without memory, or for a number that JSON does not have. */
json_t *sd_encode_simulated(const struct sd_simulated *s);
json_t *sd_encode_simulation(const struct sd_plan_simulation *s);
json_t *sd_encode_memory(const struct sd_memory_sampled *m);

#endif
