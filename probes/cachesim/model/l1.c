#include "model/l1.h"

void sim_l1_open(struct sim_l1 *c, uint64_t sets, unsigned ways, struct sim_l1_ways *memory)
{
	const unsigned eights = (ways + SIM_L1_EIGHT - 1) / SIM_L1_EIGHT;

	*c = (struct sim_l1){.way = memory,
		.sets = sets,
		.ways = ways,
		.eights = eights,
		.set_shift = (unsigned)__builtin_ctzll(sets),
		.places = sets * eights * SIM_L1_EIGHT};
	for (size_t i = 0; i <= c->places; i++)
		memory->stamp[i] = sim_stamp(SIM_BEGIN, i);
}
