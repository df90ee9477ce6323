#include "tlb.h"

#include <errno.h>
#include <stdlib.h>

int sim_tlb_open(struct sim_tlb *t, unsigned entries, unsigned ways, unsigned shift)
{
	*t = (struct sim_tlb){
		.ways = entries ? ways : 0, .sets = entries ? entries / ways : 1, .shift = shift};
	t->way = calloc(entries ? entries : 1, sizeof *t->way);
	if (!t->way)
		return -ENOMEM;
	for (unsigned i = 0; i < entries || i == 0; i++)
		t->way[i].first = UINT64_MAX;
	return 0;
}

void sim_tlb_close(struct sim_tlb *t)
{
	free(t->way);
	*t = (struct sim_tlb){0};
}

int sim_tlb_use(struct sim_tlb *t, uint64_t address, uint64_t stamp, uint32_t *at)
{
	const uint64_t page = address >> t->shift, first = page << t->shift;
	struct sim_tlb_way *const set = t->way + (page & (t->sets - 1)) * t->ways;
	struct sim_tlb_way *oldest = set;

	*at = 0;
	if (t->ways == 0)
		return 0;
	for (unsigned i = 0; i < t->ways; i++) {
		if (set[i].first == first) {
			set[i].stamp = stamp;
			*at = (uint32_t)(&set[i] - t->way);
			return 1;
		}
		if (set[i].stamp < oldest->stamp)
			oldest = &set[i];
	}
	*oldest = (struct sim_tlb_way){.first = first, .stamp = stamp};
	*at = (uint32_t)(oldest - t->way);
	return 0;
}
