/*
 * Runs a kernel's measurements one after another: gives each its share of the remaining time,
 * reports progress, and converts results to rows.
 */
#ifndef SD_KERNEL_STEPS_H
#define SD_KERNEL_STEPS_H

#include "harness/samples.h"

struct sd_kernel_steps {
	const struct sd_kernel_env *env;
	const char *kernel;
	size_t total; /* estimated number of measurements */
	size_t done;
	double begin; /* s, CLOCK_MONOTONIC; 0 = at the first measurement */
};

/* A row of this kernel with its CPUs (NULL: one core, unnamed) and unit; the variant is
 * formatted. */
struct sd_bench_row sd_kernel_steps_row(const struct sd_kernel_steps *steps,
	const struct sd_cpulist *cpus, const char *unit, const char *variant, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Takes `wanted` samples of measure (see sd_samples_take) and appends rows of their values,
 * value[i] as like[i], n_like <= SD_SAMPLE_VALUES. A failed measurement becomes a row that says so.
 * 0, -EINTR or -ENOMEM.
 */
int sd_kernel_steps_take(struct sd_kernel_steps *steps, unsigned wanted,
	int (*measure)(void *ctx, struct sd_sample *s), void *ctx, const struct sd_bench_row *like,
	size_t n_like, struct sd_bench_rows *rows);

/* For a measurement that could not be set up: appends a missing row for each of like[]. */
int sd_kernel_steps_failed(struct sd_kernel_steps *steps, int error,
	const struct sd_bench_row *like, size_t n_like, struct sd_bench_rows *rows);

/* -EINTR if the user asked to stop, else 0. */
int sd_kernel_steps_stopped(const struct sd_kernel_steps *steps);

#endif
