/*
 * Where does memory that was used before come from? Tells a bandwidth that a cache served from one
 * of DRAM, without believing what the machine claims about its caches.
 */
#ifndef SD_REUSE_H
#define SD_REUSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * The time to load random lines of [p, p+bytes) as they lie in the caches now, as a fraction of the
 * time for the same lines just after they were flushed out of every cache: about 1 when they come
 * from memory, well below when some cache still has them. Reads only; leaves those lines in the
 * caches. Unsupported where user code cannot flush a line, or bytes is too small for a sample.
 */
struct sd_reuse {
	struct sd_value ratio;   /* as above */
	struct sd_value flushed; /* s for a line from memory, address translated already */
};
struct sd_reuse sd_reuse_measure(const void *p, size_t bytes, uint64_t seed);
struct sd_value sd_reuse_ratio(const void *p, size_t bytes, uint64_t seed);

/*
 * Below this the numbers are refused as not being DRAM's: a last-level cache answers in 0.3 to 0.6
 * of the time of memory, so that this is reached when it serves about a third of the lines.
 */
#define SD_REUSE_DRAM 0.8

/* The least memory this can be told of. */
#define SD_REUSE_BYTES_MIN ((size_t)128 << 10)

#endif
