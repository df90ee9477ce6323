/*
 * The effective size of the last-level cache, and how large arrays must be to exceed it.
 */
#ifndef SD_LLC_H
#define SD_LLC_H

#include "bench/kernel.h"

/*
 * The size from which on memory answers instead of a cache: the smallest power of two whose lines
 * come from memory after a sweep over all of it (sd_reuse_ratio). Measured on one core, because a
 * virtual machine may own only a share of the cache it sees. Absent if not even 4x the visible
 * size, or the memory limit, exceeded the cache; if lines cannot be flushed here; if it repeatedly
 * was no more than the core's own L2; or if *env->stop was set.
 */
struct sd_value sd_llc_effective(const struct sd_kernel_env *env); /* once where env->effective */

/*
 * The size, or absent if no more than the claimed L2. The L2 keeps its lines whatever others do to
 * the last-level cache, so somebody else must have used the core.
 */
struct sd_value sd_llc_believed(struct sd_value size, struct sd_value l2);

/* The memory to stream over. */
struct sd_llc_size {
	size_t bytes;    /* all arrays of all members; 0: not measurable, see why */
	const char *why; /* the rule applied, or what is missing; static */
};

/*
 * For `domains` last-level caches in use. Full: each of three arrays at least 4x the visible cache,
 * if that fits. If it does not: each at least 4x the effective cache; if that does not fit either,
 * all arrays together 4x. Quick: all together 4x the effective cache, each where that is not known.
 * `limit` is the usable memory.
 */
struct sd_llc_size sd_llc_size(struct sd_value visible, struct sd_value effective, unsigned domains,
	int quick, uint64_t limit);

/* The same for a brief calibration: SD_BRIEF_BYTES, where that is less and more than the caches
 * hold. Whether one of them serves it must be looked at. */
size_t sd_llc_brief(size_t bytes, struct sd_value effective, unsigned domains);

/* The largest size of a curve that is to reach memory. Full: 4x the cache that the machine shows,
 * or was measured; quick: twice where nearly all comes from memory; brief: that, as above. */
double sd_llc_curve(const struct sd_kernel_env *env, struct sd_value effective);

/* The number of last-level caches used by these CPUs. */
unsigned sd_llc_domains(const struct sd_topology *t, const struct sd_cpulist *cpus);

/* env->memory_limit, or half of the available memory without one. */
uint64_t sd_llc_memory(const struct sd_kernel_env *env);

#endif
