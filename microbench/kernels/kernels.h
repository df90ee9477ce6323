/*
 * Every kernel of the registry, by name. A new kernel: one file, and one line here.
 */
#ifndef SD_KERNELS_H
#define SD_KERNELS_H

#include "bench/kernel.h"

/*
 * In the order they are measured: what is asked for first is measured first, so that a busy machine
 * leaves others without time and not these. Each keeps half of its plan for those behind it
 * (time_shares.h), and what is left over goes to them.
 */
/* clang-format off */
#define SD_KERNELS(X) \
	X(bandwidth) \
	X(triad) \
	X(copy) \
	X(scale) \
	X(add) \
	X(read) \
	X(write) \
	X(latency) \
	X(line_transfer) \
	X(frequency) \
	X(timers) \
	X(false_sharing) \
	X(locks) \
	X(openmp) \
	X(page_sizes) \
	X(tlb_cost) \
	X(disk) \
	X(loaded_latency)
/* clang-format on */

#define X(name) extern const struct sd_kernel sd_kernel_##name;
SD_KERNELS(X)
#undef X

#endif
