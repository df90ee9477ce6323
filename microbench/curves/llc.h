/*
 * How much memory the last-level cache really holds, and how large arrays must be to get past it.
 */
#ifndef SD_LLC_H
#define SD_LLC_H

#include "bench/kernel.h"

/*
 * Bytes from which on memory answers instead of a cache: the smallest power of two whose lines,
 * after a sweep over all of it, come from memory (sd_reuse_ratio). Measured on one core, since a
 * virtual machine may own a share of the cache it sees only. Absent when not even 4x the visible
 * size or the memory limit got past the cache, or no line can be flushed here, or when it was no
 * more than the core's own L2 again and again; also -EINTR of *env->stop.
 */
struct sd_value sd_llc_effective(const struct sd_kernel_env *env);

/*
 * The size, or absent when it is not more than the claimed L2: that holds its lines whatever others
 * do to the last-level cache, so somebody else had the core meanwhile.
 */
struct sd_value sd_llc_believed(struct sd_value size, struct sd_value l2);

/* What to stream over. */
struct sd_llc_size {
	size_t bytes;    /* all arrays of all members; 0: it cannot be measured, see why */
	const char *why; /* the rule that was used, or what is missing; static */
};

/*
 * For `domains` last-level caches in use. Full: every array of three at least 4x the visible cache,
 * when that fits; quick, or when it does not: every array at least 4x the effective one; when that
 * does not fit either: all arrays together 4x. `limit` is the memory that may be used.
 */
struct sd_llc_size sd_llc_size(struct sd_value visible, struct sd_value effective, unsigned domains,
	int quick, uint64_t limit);

/* The number of last-level caches that these CPUs use. */
unsigned sd_llc_domains(const struct sd_topology *t, const struct sd_cpulist *cpus);

/* env->memory_limit, or half of what is available when there is none. */
uint64_t sd_llc_memory(const struct sd_kernel_env *env);

#endif
