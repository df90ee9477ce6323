#include "tlb.h"

#include <errno.h>
#include <stdlib.h>

int sim_tlb_open(struct sim_tlb *t, unsigned entries, unsigned ways)
{
	*t = (struct sim_tlb){.ways = entries ? ways : 0, .sets = entries ? entries / ways : 1};
	t->way = calloc(entries ? entries : 1, sizeof *t->way);
	return t->way ? 0 : -ENOMEM;
}

void sim_tlb_close(struct sim_tlb *t)
{
	free(t->way);
	*t = (struct sim_tlb){0};
}

int sim_tlb_use(struct sim_tlb *t, uint64_t page, uint64_t stamp, uint32_t *at)
{
	struct sim_tlb_way *const set = t->way + (page & (t->sets - 1)) * t->ways;
	struct sim_tlb_way *oldest = set;

	*at = 0;
	if (t->ways == 0)
		return 0;
	for (unsigned i = 0; i < t->ways; i++) {
		if (set[i].page1 == page + 1) {
			set[i].stamp = stamp;
			*at = (uint32_t)(&set[i] - t->way);
			return 1;
		}
		if (set[i].stamp < oldest->stamp)
			oldest = &set[i];
	}
	*oldest = (struct sim_tlb_way){.page1 = page + 1, .stamp = stamp};
	*at = (uint32_t)(oldest - t->way);
	return 0;
}
