/*
 * Chases that visit lines far apart, for the TLB, and how long an access of one takes.
 */
#ifndef SD_TLB_WALK_H
#define SD_TLB_WALK_H

#include <stddef.h>
#include <stdint.h>

#define SD_TLB_LINE ((size_t)64)

/*
 * Builds a chase in random order through n >= 1 lines of `base`: packed when the stride is a line;
 * else the i-th at i * stride plus an offset that rotates within the stride, by lines, so that they
 * spread over the sets of the caches as packed ones do, and in strides above a base page also by
 * base pages, for the sets of a TLB where a virtual machine's huge page is really many small ones.
 * Strides are a line, or whole base pages. Needs n * stride bytes. Returns where it begins.
 */
void *sd_tlb_build(unsigned char *base, unsigned n, size_t stride, uint64_t key);

/* ns an access, the fastest of a few walks, after two laps that load what there is to load. */
double sd_tlb_walk(void *begin, unsigned n);

#endif
