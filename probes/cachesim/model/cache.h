/*
 * A set-associative cache of line numbers with true LRU; the state of a line is kept elsewhere. A
 * set is an array of lines, most recently used first: eight ways are one cache line of the host.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct sim_cache {
	uint64_t sets, mask; /* mask: sets - 1 where that is a power of two, else 0 */
	uint64_t inverse;    /* 2^64 / sets, rounded down, where it is not a power of two */
	unsigned ways;
	/* owned; sets x ways, within a set the most recent first: (line number + 1) * 2, + 1 if
	 * dirty; 0 empty, after all others; mapped, so only used parts take memory */
	uint64_t *way;
};

/* A cache of 0 bytes is valid: it never holds anything. 0 or -ENOMEM. */
int sim_cache_open(struct sim_cache *c, uint64_t bytes, unsigned ways, unsigned line);
void sim_cache_close(struct sim_cache *c); /* accepts the zeroed value */

__extension__ typedef unsigned __int128 sim_cache_product;

/* line % sets, without a division: the quotient by the inverse is right or one too small. */
static inline uint64_t sim_cache_set_number(const struct sim_cache *c, uint64_t line)
{
	uint64_t left;

	if (c->mask || c->sets == 1)
		return line & c->mask;
	left = line - (uint64_t)((sim_cache_product)line * c->inverse >> 64) * c->sets;
	return left < c->sets ? left : left - c->sets;
}

static inline uint64_t *sim_cache_set(const struct sim_cache *c, uint64_t line)
{
	return c->way + sim_cache_set_number(c, line) * c->ways;
}

/* Prefetches the set of a line: it is likely not in the host's near caches. */
static inline void sim_cache_expect(const struct sim_cache *c, uint64_t line)
{
	const uint64_t *const set = sim_cache_set(c, line);

	__builtin_prefetch(set, 1);
	__builtin_prefetch(set + 8, 1);
}

__attribute__((noinline)) uint64_t *sim_cache_search(
	struct sim_cache *c, uint64_t *set, uint64_t line, int use);

/* The way of a line; NULL: not cached. `use` makes it the most recent. Valid until the next call
 * for this cache. */
static inline uint64_t *sim_cache_find(struct sim_cache *c, uint64_t line, int use)
{
	uint64_t *const set = c->way ? sim_cache_set(c, line) : NULL;

	return set && set[0] >> 1 != line + 1 ? sim_cache_search(c, set, line, use) : set;
}

/* Whether it holds a line; the value of the way that the next line of its set will take. */
int sim_cache_has(const struct sim_cache *c, uint64_t line);
static inline uint64_t sim_cache_last(const struct sim_cache *c, uint64_t line)
{
	return sim_cache_set(c, line)[c->ways - 1];
}

/* Whether a line comes to a set that nothing has filled yet. */
static inline unsigned sim_cache_is_unfilled(const struct sim_cache *c, uint64_t line)
{
	return c->way && !sim_cache_last(c, line);
}

/* Inserts a line that is not cached in place of the least recent one. Returns that way's old value;
 * 0 none. */
uint64_t sim_cache_insert(struct sim_cache *c, uint64_t line, int dirty);

/* Removes a line. */
void sim_cache_remove(struct sim_cache *c, uint64_t *way);

#endif
