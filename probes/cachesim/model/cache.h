/*
 * A set-associative cache of line numbers with true LRU; a line's state is kept elsewhere. A set is
 * its lines in the order of their last use, so that eight ways are one line of the host.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct sim_cache {
	uint64_t sets, mask; /* mask: sets - 1 where that is a power of two, else 0 */
	unsigned ways;
	/* owned; sets x ways, of a set the most recent first: (line number + 1) * 2, + 1 when it is
	 * dirty; 0 empty, behind all others; mapped, so that only what is used costs */
	uint64_t *way;
};

/* A cache of 0 bytes is valid: it never holds anything. 0 or -ENOMEM. */
int sim_cache_open(struct sim_cache *c, uint64_t bytes, unsigned ways, unsigned line);
void sim_cache_close(struct sim_cache *c); /* accepts the zeroed value */

static inline uint64_t *sim_cache_set(const struct sim_cache *c, uint64_t line)
{
	const uint64_t set = c->mask || c->sets == 1 ? line & c->mask : line % c->sets;

	return c->way + set * c->ways;
}

/* A set will be asked for soon: it is likely not in the host's near caches. */
static inline void sim_cache_expect(const struct sim_cache *c, uint64_t line)
{
	const uint64_t *const set = c->way + (line & c->mask) * c->ways;

	if (c->mask) { /* else it takes a division to know */
		__builtin_prefetch(set, 1);
		__builtin_prefetch(set + 8, 1);
	}
}

__attribute__((noinline)) uint64_t *sim_cache_search(
	struct sim_cache *c, uint64_t *set, uint64_t line, int use);

/* The way of a line, NULL when it is not there; `use` makes it the most recent. Valid until the
 * next call for this cache. */
static inline uint64_t *sim_cache_find(struct sim_cache *c, uint64_t line, int use)
{
	uint64_t *const set = c->way ? sim_cache_set(c, line) : NULL;

	return set && set[0] >> 1 != line + 1 ? sim_cache_search(c, set, line, use) : set;
}

/* Puts a line that is not there in place of the least recent one: that way's old value, 0 none. */
uint64_t sim_cache_insert(struct sim_cache *c, uint64_t line, int dirty);

/* Takes a line out. */
void sim_cache_remove(struct sim_cache *c, uint64_t *way);

#endif
