/*
 * A pointer chase: one full cycle through all lines in random order, one pointer a line.
 */
#ifndef SD_CHASE_H
#define SD_CHASE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The order is a keyed permutation P of 0..n-1 (a Feistel network walked into range); line P(k)
 * points to line P(k+1): one cycle of length n by construction, without a table of n indices, and
 * as random as the network's rounds.
 */
struct sd_chase {
	void *base;
	size_t lines;
	unsigned stride; /* bytes from line to line */
	uint64_t key;
};

/* P(k). */
uint64_t sd_chase_order(const struct sd_chase *c, uint64_t k);

/* Writes the pointers of k = first..first+count-1 (wrapping), so that it can be built in parts
 * between checks of a stop flag. 0..lines-1 makes the whole chase. */
void sd_chase_build(const struct sd_chase *c, uint64_t first, uint64_t count);

/* The start of the chase: line P(0). */
void *sd_chase_begin(const struct sd_chase *c);

/* Follows `steps` pointers, a multiple of 16; returns the position to continue from. */
void *sd_chase_walk(void *from, size_t steps);

/*
 * The share of steps a prefetcher could predict: the same distance as the step before, or an
 * adjacent line. Examines up to 65536 steps. A random order of n lines has about 4/n.
 */
double sd_chase_foreseeable(const void *begin, size_t lines, unsigned stride);

#endif
