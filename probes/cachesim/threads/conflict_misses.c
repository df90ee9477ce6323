#include "threads/conflict_misses.h"

#include <errno.h>
#include <stdlib.h>

#include "model/directory.h"
#include "threads/guest_thread.h"

int sim_conflict_open(struct sim_conflict *c, size_t lines)
{
	*c = (struct sim_conflict){.lines = lines, .ring = 512};
	while (c->ring < 2 * lines)
		c->ring *= 2;
	c->evicted = calloc(c->ring, sizeof *c->evicted);
	c->met = calloc(c->ring * 2, sizeof *c->met);
	if (c->evicted && c->met)
		return 0;
	sim_conflict_retire(c);
	return -ENOMEM;
}

void sim_conflict_retire(struct sim_conflict *c)
{
	free(c->evicted);
	free(c->met);
	c->evicted = NULL;
	c->met = NULL;
}

static const struct sim_evicted *ring_at(const struct sim_conflict *c, uint64_t i)
{
	return &c->evicted[i & (c->ring - 1)];
}

static uint64_t time_of(uint64_t stamp)
{
	return stamp / SIM_TICK;
}

/* 1 the first time that a look meets the line. Where two lines share a place both may count twice:
 * that can only hide a conflict. */
static int first_met(struct sim_conflict *c, uint64_t line1)
{
	uint64_t *const at = &c->met[sim_hash(line1) & (c->ring * 2 - 1)];
	const uint64_t mark = line1 ^ c->looks << 40;

	if (*at == mark)
		return 0;
	*at = mark;
	return 1;
}

/* Whether fewer than c->lines distinct lines were used since the line's own last use: those in the
 * cache, and those that left it since. Further back than the ring goes it is not known, and said to
 * be no. */
static int few_since(struct sim_conflict *c, uint64_t line, const uint64_t *stamps, size_t n)
{
	const uint64_t oldest = c->head > c->from + c->ring ? c->head - c->ring : c->from;
	uint64_t i = c->head, stamp;
	size_t distinct = 0;

	while (i > oldest && ring_at(c, i - 1)->line1 != line + 1)
		i--;
	if (i == oldest)
		return 0;
	stamp = time_of(ring_at(c, i - 1)->stamp);
	for (size_t k = 0; k < n; k++)
		distinct += time_of(stamps[k]) > stamp;
	if (distinct >= c->lines)
		return 0;
	for (i = c->head; i > oldest && time_of(ring_at(c, i - 1)->when) > stamp; i--) {
		const struct sim_evicted *const e = ring_at(c, i - 1);

		distinct += time_of(e->stamp) > stamp && first_met(c, e->line1);
		if (distinct >= c->lines)
			return 0;
	}
	return i > oldest || oldest == 0;
}

/* The miss of an instruction that follows one of its conflicts: Boyer and Moore's majority vote
 * over the distances. */
void sim_conflict_vote(struct sim_conflict *c, uint64_t address)
{
	struct sim_conflict_place *const p = &c->place[sim_hash(c->pc) & (SIM_CONFLICT_PLACES - 1)];
	const int64_t stride = (int64_t)(address - c->address);

	if (p->pc == c->pc) {
		if (p->votes == 0)
			p->stride = stride;
		p->votes = stride == p->stride ? p->votes + 1 : p->votes - 1;
	}
	c->pc = 0;
}

/* A place is taken by one with more conflicts. */
static void found(struct sim_conflict *c, uint64_t pc, uint64_t weight)
{
	struct sim_conflict_place *const p = &c->place[sim_hash(pc) & (SIM_CONFLICT_PLACES - 1)];

	if (p->pc != pc) {
		if (p->misses > weight) {
			p->misses -= weight;
			return;
		}
		*p = (struct sim_conflict_place){.pc = pc};
	}
	p->misses += weight;
}

void sim_conflict_look(struct sim_conflict *c, uint64_t line, uint64_t address, uint64_t pc,
	const uint64_t *stamps, size_t n)
{
	const uint64_t weight =
		c->looks++ < SIM_CONFLICT_ENOUGH ? SIM_CONFLICT_EVERY : SIM_CONFLICT_LATER;
	int few;

	few = few_since(c, line, stamps, n);
	c->left = weight - 1;
	if (c->left >= c->ring)
		c->from = c->head;
	if (!few)
		return;
	c->conflicts += weight;
	found(c, pc, weight);
	c->pc = pc;
	c->address = address;
}
