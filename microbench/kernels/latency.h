/*
 * The latency kernel in two parts: latency.c measures the curves, latency_rows.c finds their
 * levels.
 */
#ifndef SD_LATENCY_H
#define SD_LATENCY_H

#include "bench/kernel.h"
#include "harness/kernel_steps.h"

#define SD_LATENCY_SIZES 64u

struct sd_latency {
	const struct sd_kernel_env *env;
	struct sd_bench_rows *rows;
	struct sd_kernel_steps steps;
	struct sd_cpulist cpu;            /* one */
	struct sd_value memory_from;      /* sd_llc_effective */
	double ratio[SD_LATENCY_SIZES];   /* for the page size being measured; NaN: not measured */
	double flushed[SD_LATENCY_SIZES]; /* ns of a flushed line there, of any page size */
	size_t n_flushed;
	double size[SD_LATENCY_SIZES]; /* bytes */
	size_t n_size;
};

/* Appends levels and effective LLC, for each state, of the curve whose rows start at `first`. 0 or
 * -ENOMEM. */
int sd_latency_add_levels(struct sd_latency *l, size_t first, const char *pages);

/* Appends the gain of huge pages in memory, from both curves. 0 or -ENOMEM. */
int sd_latency_add_benefit(struct sd_latency *l, unsigned state);

#endif
