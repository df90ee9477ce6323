#include "l1.h"

#include <errno.h>
#include <stdlib.h>

int sim_l1_open(struct sim_l1 *c, uint64_t sets, unsigned ways)
{
	const unsigned eights = (ways + SIM_L1_EIGHT - 1) / SIM_L1_EIGHT;
	const size_t places = sets * eights * SIM_L1_EIGHT, room = places + SIM_L1_EIGHT;

	*c = (struct sim_l1){.sets = sets,
		.ways = ways,
		.eights = eights,
		.set_shift = (unsigned)__builtin_ctzll(sets),
		.places = places};
	/* one more than is ever filled: nowhere */
	c->tag = aligned_alloc(64, room * 4 * sizeof *c->tag);
	if (!c->tag)
		return -ENOMEM;
	c->stamp = c->tag + room;
	c->used = c->stamp + room;
	c->part = (uint16_t *)(c->used + room);
	for (size_t i = 0; i <= places; i++)
		sim_l1_empty(c, i);
	return 0;
}

void sim_l1_close(struct sim_l1 *c)
{
	free(c->tag);
	*c = (struct sim_l1){0};
}
