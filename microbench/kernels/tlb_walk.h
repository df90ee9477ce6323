/*
 * Pointer chases over distant lines, to measure the TLB, and their time per access.
 */
#ifndef SD_TLB_WALK_H
#define SD_TLB_WALK_H

#include <stddef.h>
#include <stdint.h>

#define SD_TLB_LINE ((size_t)64)

/*
 * Builds a chase in random order through n >= 1 lines of `base`. They are packed if the stride is a
 * line; else line i is at i * stride plus an offset that rotates within the stride: by lines, so
 * that lines spread over the cache sets like packed ones, and for strides above a base page also by
 * base pages, for the sets of a TLB in which a virtual machine's huge page is really many small
 * ones. The stride is a line or whole base pages. Needs n * stride bytes. Returns the start.
 */
void *sd_tlb_build(unsigned char *base, unsigned n, size_t stride, uint64_t key);

/* ns an access, the fastest of a few walks after two warm-up laps. */
double sd_tlb_walk(void *begin, unsigned n);

#endif
