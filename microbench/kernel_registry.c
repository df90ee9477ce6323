#include "kernels/kernels.h"

/*
 * In the order they are measured: what is asked for first is measured first, so that a busy machine
 * leaves others without time and not these. Each keeps half of its plan for those behind it
 * (time_shares.h), and what is left over goes to them.
 */
const struct sd_kernel *const sd_kernel_registry[] = {
	&sd_kernel_bandwidth,
	&sd_kernel_triad,
	&sd_kernel_copy,
	&sd_kernel_scale,
	&sd_kernel_add,
	&sd_kernel_read,
	&sd_kernel_write,
	&sd_kernel_latency,
	&sd_kernel_line_transfer,
	&sd_kernel_frequency,
	&sd_kernel_timers,
	&sd_kernel_false_sharing,
	&sd_kernel_locks,
	&sd_kernel_openmp,
	&sd_kernel_page_sizes,
	&sd_kernel_tlb_cost,
	&sd_kernel_disk,
	&sd_kernel_loaded_latency,
	NULL,
};
