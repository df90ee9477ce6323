/*
 * The source of reused memory: tells bandwidth served by a cache from that of DRAM, without
 * trusting the machine's claims about its caches.
 */
#ifndef SD_REUSE_H
#define SD_REUSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * The time to load random lines of [p, p+bytes) from where they are now, as a fraction of the time
 * for the same lines right after flushing them from all caches: about 1 if they come from memory,
 * well below if some cache holds them. Only reads; leaves the lines in the caches. Unsupported if
 * user code cannot flush lines, or if bytes is too small for a sample.
 */
struct sd_reuse {
	struct sd_value ratio;   /* as above */
	struct sd_value flushed; /* s for a line from memory, with its translation cached */
};
struct sd_reuse sd_reuse_measure(const void *p, size_t bytes, uint64_t seed);
struct sd_value sd_reuse_ratio(const void *p, size_t bytes, uint64_t seed);

/*
 * Below this ratio numbers are rejected as not DRAM's. A last-level cache answers in 0.3 to 0.6 of
 * memory's time, so this is reached if it serves about a third of the lines.
 */
#define SD_REUSE_DRAM 0.8

/* The minimum size for this test. */
#define SD_REUSE_BYTES_MIN ((size_t)128 << 10)

#endif
