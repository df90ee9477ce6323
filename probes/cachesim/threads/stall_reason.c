#include "threads/stall_reason.h"

void sim_stall_reason_count(
	uint64_t modelled[SD_MODELLED_COUNT], struct sim_stall_reason why, uint64_t cycles)
{
	const uint64_t bus = why.kind != SIM_STALL_MEMORY ? 0
			     : why.turn < cycles          ? why.turn
							  : cycles;

	modelled[SD_MODELLED_WAIT_BUS] += bus;
	if (why.kind == SIM_STALL_MEMORY)
		modelled[SD_MODELLED_WAIT_MEMORY] += cycles - bus;
	else if (why.kind == SIM_STALL_TRANSFER)
		modelled[SD_MODELLED_WAIT_TRANSFER] += cycles;
}
