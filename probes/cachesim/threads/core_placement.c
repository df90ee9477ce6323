#include "threads/core_placement.h"

#include <string.h>

void sim_placement_open(struct sim_placement *p, unsigned cores, unsigned sharers)
{
	memset(p, 0, sizeof *p);
	p->cores = cores;
	p->sharers = sharers ? sharers : cores;
}

unsigned sim_placement_begin(struct sim_placement *p)
{
	unsigned best = 0;

	for (unsigned c = 1; c < p->cores; c++)
		if (p->active[c] < p->active[best] ||
			(p->active[c] == p->active[best] && p->asleep[c] < p->asleep[best]))
			best = c;
	p->active[best]++;
	return best;
}

void sim_placement_sleep(struct sim_placement *p, unsigned core)
{
	p->active[core]--;
	p->asleep[core]++;
}

static unsigned fewest(const struct sim_placement *p, unsigned best, unsigned from, unsigned to)
{
	for (unsigned c = from; c < to && c < p->cores; c++)
		if (p->active[c] < p->active[best])
			best = c;
	return best;
}

/* Linux looks for an idle core below the LLC the thread ran under before it looks elsewhere
 * (select_idle_sibling): what the thread left in that LLC is still near. */
unsigned sim_placement_wake(struct sim_placement *p, unsigned core)
{
	const unsigned first = core / p->sharers * p->sharers;
	unsigned best = core;

	p->asleep[core]--;
	best = fewest(p, best, first, first + p->sharers);
	best = fewest(p, best, 0, p->cores);
	p->active[best]++;
	return best;
}

void sim_placement_end(struct sim_placement *p, unsigned core, int asleep)
{
	if (asleep)
		p->asleep[core]--;
	else
		p->active[core]--;
}

int sim_placement_crowded(const struct sim_placement *p, unsigned core)
{
	if (p->active[core])
		return -1;
	for (unsigned c = 0; c < p->cores; c++)
		if (p->active[c] > 1)
			return (int)c;
	return -1;
}

void sim_placement_move(struct sim_placement *p, unsigned from, unsigned to)
{
	p->active[from]--;
	p->active[to]++;
}
