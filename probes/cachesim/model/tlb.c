#include "model/tlb.h"

#include "model/huge_page_model.h"

void sim_tlb_open(struct sim_tlb *t, unsigned entries, unsigned ways, unsigned shift,
	struct sim_tlb_ways *memory)
{
	*t = (struct sim_tlb){.ways = entries ? ways : 0,
		.sets = entries ? entries / ways : 1,
		.shift = shift,
		.way = memory};
	for (unsigned i = 0; i < entries || i == 0; i++)
		memory->first[i] = memory->key[i] = UINT64_MAX;
}

int sim_tlb_use(struct sim_tlb *t, uint64_t address, int huge, uint64_t stamp, uint32_t *at)
{
	const unsigned shift = huge ? SIM_HUGE_SHIFT : t->shift;
	const uint64_t page = address >> shift, key = page << shift | (huge != 0);
	const uint64_t first = address >> t->shift << t->shift;
	const uint32_t set = (uint32_t)((page & (t->sets - 1)) * t->ways);
	struct sim_tlb_ways *const w = t->way;
	uint32_t oldest = set;

	*at = 0;
	if (t->ways == 0)
		return 0;
	for (uint32_t i = set; i < set + t->ways; i++) {
		if (w->key[i] == key) {
			w->first[i] = first;
			w->stamp[i] = stamp;
			*at = i;
			return 1;
		}
		if (w->stamp[i] < w->stamp[oldest])
			oldest = i;
	}
	w->key[oldest] = key;
	w->first[oldest] = first;
	w->stamp[oldest] = stamp;
	*at = oldest;
	return 0;
}
