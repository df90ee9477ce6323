/*
 * For what a thread of the core model stands still (core_model.h): a line that another core has, a
 * line from memory, or the bus before that. Its own LLC has no count by itself.
 */
#ifndef SIM_STALL_REASON_H
#define SIM_STALL_REASON_H

#include <stdint.h>

#include "record/modelled_count.h"

enum sim_stall { SIM_STALL_LLC, SIM_STALL_TRANSFER, SIM_STALL_MEMORY };
struct sim_stall_reason {
	enum sim_stall kind;
	uint64_t turn; /* cycles of a line from memory until the bus was free */
};

/* Adds the cycles to the counts of what they were waited for. Of those for memory as many are the
 * bus' as the line would have come earlier, had the bus been free. */
void sim_stall_reason_count(
	uint64_t modelled[SD_MODELLED_COUNT], struct sim_stall_reason why, uint64_t cycles);

#endif
