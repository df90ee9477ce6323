/*
 * Every kernel of the registry, by name. A new kernel: one file, one line here, one in
 * kernel_registry.c.
 */
#ifndef SD_KERNELS_H
#define SD_KERNELS_H

#include "bench/kernel.h"

extern const struct sd_kernel sd_kernel_bandwidth;
extern const struct sd_kernel sd_kernel_triad;
extern const struct sd_kernel sd_kernel_copy;
extern const struct sd_kernel sd_kernel_scale;
extern const struct sd_kernel sd_kernel_add;
extern const struct sd_kernel sd_kernel_read;
extern const struct sd_kernel sd_kernel_write;
extern const struct sd_kernel sd_kernel_latency;
extern const struct sd_kernel sd_kernel_loaded_latency;
extern const struct sd_kernel sd_kernel_line_transfer;
extern const struct sd_kernel sd_kernel_false_sharing;
extern const struct sd_kernel sd_kernel_locks;
extern const struct sd_kernel sd_kernel_openmp;
extern const struct sd_kernel sd_kernel_page_sizes;
extern const struct sd_kernel sd_kernel_tlb_cost;
extern const struct sd_kernel sd_kernel_disk;
extern const struct sd_kernel sd_kernel_timers;
extern const struct sd_kernel sd_kernel_frequency;

#endif
