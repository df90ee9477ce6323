/*
 * The generator of random numbers: xoshiro256** 1.0 (Blackman and Vigna 2018), seeded by splitmix64
 * (Steele, Lea and Flood 2014). The same bits on every machine. It determines the order of runs,
 * bootstrap resamples and the access patterns of the calibration.
 */
#ifndef SD_RANDOM_H
#define SD_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct sd_random {
	uint64_t s[4];
};

/* `stream` gives independent sequences for one seed. */
void sd_random_seed(struct sd_random *r, uint64_t seed, uint64_t stream);
void sd_random_skip(struct sd_random *r, uint64_t n); /* the next n numbers */

/* Inline: a bootstrap over 100,000 runs draws 40 million numbers. */
static inline uint64_t sd_random_rotate(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t sd_random_next(struct sd_random *r)
{
	uint64_t *s = r->s, result = sd_random_rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = sd_random_rotate(s[3], 45);
	return result;
}

/* Uniform in 0..n-1, 0 < n < 2^32; the bias is below n / 2^32. */
static inline size_t sd_random_below(struct sd_random *r, size_t n)
{
	return (size_t)(((sd_random_next(r) >> 32) * (uint64_t)n) >> 32);
}

#endif
