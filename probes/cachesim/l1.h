/*
 * A private L1 with true LRU, laid out for being looked up by every access: a way is a tag, a
 * stamp, a mask of bytes and a part of its tag, each in an array of its own, so that a set is a few
 * lines of the host, and sets begin at multiples of eight ways.
 */
#ifndef SIM_L1_H
#define SIM_L1_H

#include <stddef.h>
#include <stdint.h>

/* A tag is the line's number + 1 with flags above it; 0 empty. */
#define SIM_L1_READONLY \
	(1ull << 63)                /* a store must ask first; without: it is E or M, known dirty */
#define SIM_L1_SAMPLED (1ull << 62) /* the next access is one of the sampled reuse distances' */
#define SIM_L1_CONTENDED (1ull << 61) /* every access is logged */
#define SIM_L1_LINE1 (SIM_L1_CONTENDED - 1)

/*
 * A stamp is the time of the last use, with the index of the way below it, so that the least of a
 * set names the way to replace, and in the lowest bit SIM_FRESH: nothing was touched since it came.
 */
#define SIM_TICK (1ull << 17) /* of time: an access */
#define SIM_FRESH 1u

#define SIM_L1_EIGHT 8u
#define SIM_L1_PLACES 32768u /* so that an index and SIM_FRESH fit below a tick */

struct sim_l1 {
	/* owned: tag; the others lie behind it */
	uint64_t *tag, *stamp, *used; /* used: bytes touched since it came */
	uint16_t *part;
	uint64_t sets;
	unsigned ways, eights, set_shift; /* eights: groups of eight ways of a set */
	size_t places; /* ways with what fills the sets up; this one is nowhere */
};

/* `sets` is a power of two, and they fit into SIM_L1_PLACES. 0 or -ENOMEM. */
int sim_l1_open(struct sim_l1 *c, uint64_t sets, unsigned ways);
void sim_l1_close(struct sim_l1 *c); /* accepts the zeroed value, leaves it */

static inline uint64_t sim_stamp(uint64_t tick, size_t place)
{
	return tick | place << 1;
}

/* 15 bits of a tag, never 0: where no way of a set has them, the line is not there. */
static inline uint16_t sim_l1_part(const struct sim_l1 *c, uint64_t line)
{
	const uint64_t x = line >> c->set_shift;

	return (uint16_t)((x ^ x >> 15) | 0x8000);
}

/* Eight are compared in one instruction: a vector is 16 bytes on every host that QEMU runs on. */
typedef uint16_t sim_l1_parts __attribute__((vector_size(16), may_alias));
typedef uint8_t sim_l1_bytes __attribute__((vector_size(8)));

/* Of eight ways those that have the part: 0xff in their byte. */
static inline uint64_t sim_l1_with(const uint16_t *eight, uint16_t part)
{
	const sim_l1_parts all = {part, part, part, part, part, part, part, part};
	const sim_l1_parts same = (sim_l1_parts)(*(const sim_l1_parts *)(const void *)eight == all);

	return (uint64_t) __builtin_convertvector(same, sim_l1_bytes);
}

static inline size_t sim_l1_set(const struct sim_l1 *c, uint64_t line)
{
	return (line & (c->sets - 1)) * c->eights * SIM_L1_EIGHT;
}

/* The place of a line; c->places where it is not there. */
static inline size_t sim_l1_find(const struct sim_l1 *c, uint64_t line)
{
	const size_t set = sim_l1_set(c, line);

	for (size_t i = set; i < set + c->eights * SIM_L1_EIGHT; i += SIM_L1_EIGHT) {
		uint64_t left = sim_l1_with(c->part + i, sim_l1_part(c, line));

		while (__builtin_expect(left != 0, 0)) {
			const unsigned at = (unsigned)__builtin_ctzll(left) / 8;

			if (!((c->tag[i + at] ^ (line + 1)) & SIM_L1_LINE1))
				return i + at;
			left &= ~(0xffull << at * 8);
		}
	}
	return c->places;
}

static inline __attribute__((always_inline)) size_t sim_l1_oldest_of(
	const struct sim_l1 *c, uint64_t line, unsigned ways)
{
	const uint64_t *const stamp = c->stamp + sim_l1_set(c, line);
	uint64_t least = stamp[0];

	for (unsigned k = 1; k < ways; k++)
		least = stamp[k] < least ? stamp[k] : least;
	return (least & (SIM_TICK - 1)) >> 1;
}

/* The place that a line will take: an empty one has the oldest stamp. With a number of ways that
 * the compiler knows, all are looked at side by side. */
static inline size_t sim_l1_oldest(const struct sim_l1 *c, uint64_t line)
{
	switch (c->ways) {
	case 8:
		return sim_l1_oldest_of(c, line, 8);
	case 12:
		return sim_l1_oldest_of(c, line, 12);
	default:
		return sim_l1_oldest_of(c, line, c->ways);
	}
}

static inline void sim_l1_empty(struct sim_l1 *c, size_t place)
{
	c->part[place] = 0;
	c->tag[place] = 0;
	c->stamp[place] = sim_stamp(0, place);
	c->used[place] = 0;
}

/* Line number + 1 of a place; 0 empty. */
static inline uint64_t sim_l1_line1(const struct sim_l1 *c, size_t place)
{
	return c->tag[place] & SIM_L1_LINE1;
}

static inline int sim_l1_modified(const struct sim_l1 *c, size_t place)
{
	return !(c->tag[place] & SIM_L1_READONLY);
}

#endif
