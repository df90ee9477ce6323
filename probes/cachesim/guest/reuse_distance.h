/*
 * Distribution of the LRU stack distances of one thread, from lines sampled by hash (SHARDS:
 * Waldspurger et al., FAST 2015): the distance of a sampled line among the sampled lines, divided
 * by the sampling rate, estimates its distance among all lines. Memory is bounded: the rate is
 * lowered when too many lines are sampled.
 */
#ifndef SIM_REUSE_H
#define SIM_REUSE_H

#include <stddef.h>
#include <stdint.h>

#include "record/simulated.h"

#define SIM_REUSE_LINES 4096       /* most lines sampled at a time */
#define SIM_REUSE_FIRST (1u << 19) /* of 2^24: 1 line in 32 to begin with */

struct sim_reuse {
	uint32_t threshold; /* lines whose hash is below it are sampled; of 2^24 */
	struct sim_reuse_line {
		uint64_t line1;
		uint32_t time, hash;
	} * line; /* owned; open addressing */
	size_t used;
	uint32_t *tree; /* owned; Fenwick tree over time: 1 at the last use of a line */
	uint32_t now;
	uint32_t adds; /* at this rate */
	double distance[SD_SIM_DISTANCES];
};

int sim_reuse_open(struct sim_reuse *r);    /* 0 or -ENOMEM */
void sim_reuse_retire(struct sim_reuse *r); /* frees the working memory; the results stay */

static inline uint32_t sim_reuse_hash(uint64_t line)
{
	uint64_t x = line * 0xd6e8feb86659fd93ull;

	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	return (uint32_t)(x >> 40);
}

static inline int sim_reuse_wants(const struct sim_reuse *r, uint64_t line)
{
	return sim_reuse_hash(line) < r->threshold;
}

/* Records an access to a sampled line (sim_reuse_wants). */
void sim_reuse_add(struct sim_reuse *r, uint64_t line);

/*
 * The distribution, which sums to `accesses`. The sampling error of the total is corrected in the
 * shortest distances: it comes from very hot lines being sampled or not (SHARDS-adj).
 */
void sim_reuse_result(const struct sim_reuse *r, double accesses, double out[SD_SIM_DISTANCES]);

#endif
