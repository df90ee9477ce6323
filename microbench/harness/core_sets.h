/*
 * Chooses the CPUs for n cores, and the core counts to measure.
 */
#ifndef SD_CORE_SETS_H
#define SD_CORE_SETS_H

#include "bench/kernel.h"

enum sd_core_sets_place { SD_CORE_SETS_COMPACT, SD_CORE_SETS_SPREAD };

/*
 * The first n CPUs: one PU a core before any sibling. Compact fills a last-level cache, NUMA node
 * and package before the next; spread alternates among them. 0, -EINVAL (n is 0 or above the
 * topology's PUs) or -ENOMEM; *out empty on failure.
 */
int sd_core_sets_place(const struct sd_topology *t, enum sd_core_sets_place place, unsigned n,
	struct sd_cpulist *out);

/*
 * The core counts of a kernel: env->cores if given (without those above the number of PUs), else
 * `low`, every count up to 8, then powers of two and the granted count; quick: low and granted.
 * Returns how many were written to count[max], ascending.
 */
size_t sd_core_sets_counts(
	const struct sd_kernel_env *env, unsigned low, unsigned *count, size_t max);

#endif
