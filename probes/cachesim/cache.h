/*
 * A set-associative cache of line numbers with true LRU; a line's state is kept elsewhere.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct sim_cache {
	uint64_t sets, clock;
	unsigned ways;
	struct sim_way {
		uint64_t line1; /* line number + 1; 0 empty */
		uint64_t stamp; /* of its last use, and whether it is dirty in the lowest bit */
	} * way;                /* owned; sets x ways; mapped, so that only what is used costs */
};

/* A cache of 0 bytes is valid: it never holds anything. 0 or -ENOMEM. */
int sim_cache_open(struct sim_cache *c, uint64_t bytes, unsigned ways, unsigned line);
void sim_cache_close(struct sim_cache *c); /* accepts the zeroed value */

/* The way of a line, NULL when it is not there; `use` makes it the most recent. */
struct sim_way *sim_cache_find(struct sim_cache *c, uint64_t line, int use);

/* Puts a line that is not there in place of the least recent one: *victim is that way's old value
 * (line1 0: none). */
void sim_cache_insert(struct sim_cache *c, uint64_t line, int dirty, struct sim_way *victim);

static inline void sim_way_dirty(struct sim_way *w)
{
	w->stamp |= 1;
}

#endif
