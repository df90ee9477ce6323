/*
 * A private L1 with true LRU, laid out for a lookup at every access. A way has a tag, a stamp, a
 * mask of used bytes and a partial tag, each in an array of its own: a set is then a few cache
 * lines of the host. Sets start at multiples of eight ways. The arrays have the size of the largest
 * L1, at fixed distances; unused parts are never touched and take no memory.
 */
#ifndef SIM_L1_H
#define SIM_L1_H

#include <stddef.h>
#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* A tag is the line's number + 1 with flags above it; 0 empty. */
#define SIM_L1_READONLY \
	(1ull << 63)                /* a store must ask first; without: it is E or M, known dirty */
#define SIM_L1_SAMPLED (1ull << 62) /* the next access is sampled for reuse distances */
#define SIM_L1_CONTENDED (1ull << 61) /* every access is logged */
#define SIM_L1_FOLLOWED (1ull << 60)  /* so is one soon after the line's miss */
#define SIM_L1_LINE1 (SIM_L1_FOLLOWED - 1)

/*
 * A stamp is the time of the last use with the index of the way in its low bits: the smallest of a
 * set is the way to replace. SIM_FRESH between them: not touched since it was brought in. Read as a
 * double, a stamp is normal and positive and has the same order: the minimum of two doubles is one
 * instruction of the host, without a branch.
 */
#define SIM_BEGIN (1ull << 62) /* of time */
#define SIM_TICK (1ull << 17)  /* an access */
#define SIM_FRESH (1ull << 16)
#define SIM_PLACE (SIM_FRESH - 1)

#define SIM_L1_EIGHT 8u
#define SIM_L1_PLACES 32768u /* an index fits below SIM_FRESH */
/* With room for `nowhere`, and such that the arrays' entries of one way are not a multiple of 4 KiB
 * apart: the host would suffer 4K aliasing between a load from one array and a recent store into
 * another. */
#define SIM_L1_ROOM (SIM_L1_PLACES + 21 * SIM_L1_EIGHT)

struct sim_l1_ways {
	uint64_t tag[SIM_L1_ROOM], stamp[SIM_L1_ROOM];
	uint64_t used[SIM_L1_ROOM]; /* bytes touched since it came */
	uint16_t part[SIM_L1_ROOM];
};

struct sim_l1 {
	struct sim_l1_ways *way; /* borrowed */
	uint64_t sets;
	unsigned ways, eights, set_shift; /* eights: groups of eight ways of a set */
	size_t places; /* ways with the padding of the sets; this index is `nowhere` */
};

/* `sets` is a power of two; all ways fit into SIM_L1_PLACES; *memory is zeroed. */
void sim_l1_open(struct sim_l1 *c, uint64_t sets, unsigned ways, struct sim_l1_ways *memory);

static inline uint64_t sim_stamp(uint64_t tick, size_t place)
{
	return tick | place;
}

/* The partial tag: 15 bits, never 0. If no way of a set has them, the line is not cached. */
static inline uint16_t sim_l1_part(const struct sim_l1 *c, uint64_t line)
{
	const uint64_t x = line >> c->set_shift;

	return (uint16_t)((x ^ x >> 15) | 0x8000);
}

/* Eight partial tags are compared in one instruction: every host that QEMU runs on has vectors of
 * 16 bytes. */
typedef uint16_t sim_l1_parts __attribute__((vector_size(16), may_alias));
typedef uint8_t sim_l1_bytes __attribute__((vector_size(8)));

/* Which of eight ways have this partial tag: 0xff in their byte. */
static inline uint64_t sim_l1_with(const uint16_t *eight, uint16_t part)
{
	const sim_l1_parts all = {part, part, part, part, part, part, part, part};
	const sim_l1_parts same = (sim_l1_parts)(*(const sim_l1_parts *)(const void *)eight == all);

	return (uint64_t) __builtin_convertvector(same, sim_l1_bytes);
}

/* The first place of a line's set. `ways` is c->ways; if it is a compile-time constant, the code
 * below is a few instructions without loops. */
static inline size_t sim_l1_set(const struct sim_l1 *c, uint64_t line, unsigned ways)
{
	return (line & (c->sets - 1)) * ((ways + SIM_L1_EIGHT - 1) & ~(SIM_L1_EIGHT - 1));
}

#ifdef __AVX2__
/* The same of a set of 9 to 16 ways, in one go: two bits a way. */
static inline size_t sim_l1_find_of_16(const struct sim_l1 *c, uint64_t line, unsigned ways)
{
	const size_t set = sim_l1_set(c, line, ways);
	const __m256i all = _mm256_loadu_si256((const void *)(c->way->part + set)),
		      part = _mm256_set1_epi16((short)sim_l1_part(c, line));
	uint32_t left = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi16(all, part));

	while (__builtin_expect(left != 0, 0)) {
		const size_t at = set + (unsigned)__builtin_ctz(left) / 2;

		if (!((c->way->tag[at] ^ (line + 1)) & SIM_L1_LINE1))
			return at;
		left &= left - 1;
		left &= left - 1;
	}
	return c->places;
}
#endif

static inline size_t sim_l1_find_of(const struct sim_l1 *c, uint64_t line, unsigned ways)
{
	const size_t set = sim_l1_set(c, line, ways);
	const uint16_t part = sim_l1_part(c, line);

#ifdef __AVX2__
	if (ways > SIM_L1_EIGHT && ways <= 2 * SIM_L1_EIGHT)
		return sim_l1_find_of_16(c, line, ways);
#endif
	for (size_t i = set; i < set + ways; i += SIM_L1_EIGHT) {
		uint64_t left = sim_l1_with(c->way->part + i, part);

		while (__builtin_expect(left != 0, 0)) {
			const unsigned at = (unsigned)__builtin_ctzll(left) / 8;

			if (!((c->way->tag[i + at] ^ (line + 1)) & SIM_L1_LINE1))
				return i + at;
			left &= ~(0xffull << at * 8);
		}
	}
	return c->places;
}

/* The place of a line; c->places: not cached. */
static inline size_t sim_l1_find(const struct sim_l1 *c, uint64_t line)
{
	return sim_l1_find_of(c, line, c->ways);
}

typedef double __attribute__((may_alias)) sim_l1_stamp;

static inline sim_l1_stamp sim_l1_older(sim_l1_stamp a, sim_l1_stamp b)
{
	return a < b ? a : b;
}

#ifndef __AVX2__
static inline sim_l1_stamp sim_l1_oldest4(const sim_l1_stamp *s)
{
	return sim_l1_older(sim_l1_older(s[0], s[1]), sim_l1_older(s[2], s[3]));
}
#endif

/* For sets of 4, 8, 12, ... ways. */
static inline sim_l1_stamp sim_l1_oldest_of_fours(const sim_l1_stamp *s, unsigned ways)
{
#ifdef __AVX2__
	__m256d least = _mm256_loadu_pd((const double *)(const void *)s);
	__m128d two;

	for (unsigned k = 4; k < ways; k += 4)
		least = _mm256_min_pd(
			least, _mm256_loadu_pd((const double *)(const void *)(s + k)));
	two = _mm_min_pd(_mm256_castpd256_pd128(least), _mm256_extractf128_pd(least, 1));
	return _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
#else
	sim_l1_stamp least = sim_l1_oldest4(s);

	for (unsigned k = 4; k < ways; k += 4)
		least = sim_l1_older(least, sim_l1_oldest4(s + k));
	return least;
#endif
}

/* The place a new line will take: the oldest stamp; empty ways have it. */
static inline size_t sim_l1_oldest_of(const struct sim_l1 *c, uint64_t line, unsigned ways)
{
	const sim_l1_stamp *const s = (const void *)(c->way->stamp + sim_l1_set(c, line, ways));
	union {
		double d;
		uint64_t stamp;
	} least;

	if (ways % 4 == 0) {
		least.d = sim_l1_oldest_of_fours(s, ways);
	} else {
		least.d = s[0];
		for (unsigned k = 1; k < ways; k++)
			least.d = sim_l1_older(least.d, s[k]);
	}
	return least.stamp & SIM_PLACE;
}

static inline void sim_l1_empty(struct sim_l1 *c, size_t place)
{
	c->way->part[place] = 0;
	c->way->tag[place] = 0;
	c->way->stamp[place] = sim_stamp(SIM_BEGIN, place);
	c->way->used[place] = 0;
}

/* Line number + 1 of a place; 0 empty. */
static inline uint64_t sim_l1_line1(const struct sim_l1 *c, size_t place)
{
	return c->way->tag[place] & SIM_L1_LINE1;
}

static inline int sim_l1_modified(const struct sim_l1 *c, size_t place)
{
	return !(c->way->tag[place] & SIM_L1_READONLY);
}

#endif
