#include "conflict.h"

#include <errno.h>
#include <stdlib.h>

#include "directory.h"
#include "thread.h"

int sim_conflict_open(struct sim_conflict *c, size_t lines)
{
	*c = (struct sim_conflict){.lines = lines, .ring = 1024};
	while (c->ring < 4 * lines)
		c->ring *= 2;
	c->evicted = calloc(c->ring, sizeof *c->evicted);
	c->where = calloc(c->ring * 4, sizeof *c->where);
	if (c->evicted && c->where)
		return 0;
	sim_conflict_close(c);
	return -ENOMEM;
}

void sim_conflict_close(struct sim_conflict *c)
{
	free(c->evicted);
	free(c->where);
	*c = (struct sim_conflict){0};
}

static uint32_t *where_is(const struct sim_conflict *c, uint64_t line)
{
	return &c->where[sim_hash(line) & (c->ring * 4 - 1)];
}

/* The line's last eviction, when the ring still has it. */
static struct sim_evicted *find(const struct sim_conflict *c, uint64_t line)
{
	const uint32_t at = *where_is(c, line);

	return at && c->evicted[at - 1].line1 == line + 1 ? &c->evicted[at - 1] : NULL;
}

void sim_conflict_evict(struct sim_conflict *c, uint64_t line, uint64_t stamp, uint64_t when)
{
	const size_t at = c->head++ & (c->ring - 1);

	c->evicted[at] = (struct sim_evicted){.line1 = line + 1, .stamp = stamp, .when = when};
	*where_is(c, line) = (uint32_t)at + 1;
}

/* Whether fewer than c->lines distinct lines were used after `stamp`: those in the cache, and those
 * that left it since. Further back than the ring goes it is not known, and said to be no. */
static int few_since(
	const struct sim_conflict *c, uint64_t stamp, const struct sim_l1_way *way, size_t n)
{
	const uint64_t oldest = c->head > c->ring ? c->head - c->ring : 0;
	size_t distinct = 0;
	uint64_t i = c->head;

	for (size_t k = 0; k < n; k++)
		distinct += way[k].line1 && way[k].stamp > stamp;
	while (i > oldest && distinct < c->lines) {
		const struct sim_evicted *const e = &c->evicted[--i & (c->ring - 1)];

		if (e->when <= stamp)
			return 1;
		distinct += e->stamp > stamp;
	}
	return distinct < c->lines && oldest == 0;
}

/* Boyer and Moore's majority vote over the distances between an instruction's misses. */
static void vote(struct sim_conflict *c, uint64_t pc, uint64_t address, int conflict)
{
	struct sim_conflict_place *const p = &c->place[sim_hash(pc) & (SIM_CONFLICT_PLACES - 1)];
	const int64_t stride = (int64_t)(address - p->last);

	if (p->pc != pc) {
		if (p->misses && p->votes-- > 0)
			return; /* its place is taken by one with more misses */
		*p = (struct sim_conflict_place){.pc = pc, .last = address};
	}
	if (p->votes == 0)
		p->stride = stride;
	p->votes = stride == p->stride ? p->votes + 1 : p->votes ? p->votes - 1 : 0;
	p->last = address;
	p->misses += conflict ? SIM_CONFLICT_EVERY : 0;
}

void sim_conflict_miss(struct sim_conflict *c, uint64_t line, uint64_t address, uint64_t pc,
	const struct sim_l1_way *way, size_t n)
{
	struct sim_evicted *const e = find(c, line);
	int conflict = 0;

	if (c->misses++ % SIM_CONFLICT_EVERY == 0 && e && few_since(c, e->stamp, way, n)) {
		c->conflicts += SIM_CONFLICT_EVERY;
		conflict = 1;
	}
	vote(c, pc, address, conflict);
	if (e)
		e->stamp = 0; /* it is in the cache again, and counted there */
}
