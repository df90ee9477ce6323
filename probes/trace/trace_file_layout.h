/*
 * The layout of a file of raw samples, shared by its writer and reader.
 */
#ifndef SD_TRACE_FILE_LAYOUT_H
#define SD_TRACE_FILE_LAYOUT_H

#include <stdint.h>

#define SD_KEPT_MAGIC "SDTRAIL3"
#define SD_KEPT_MOST_BYTES (UINT64_C(4) << 30)

#if defined(__x86_64__)
#define SD_KEPT_MACHINE 62 /* EM_X86_64 */
#elif defined(__aarch64__)
#define SD_KEPT_MACHINE 183 /* EM_AARCH64 */
#else
#define SD_KEPT_MACHINE 0
#endif

struct sd_kept_facts {
	uint64_t machine;
	uint64_t samples, switches, switch_stacks, kernel;
	uint32_t wakes, programs; /* 0 in files from before there were any */
	double hz;
	uint64_t n_samples, n_switches, n_lost, bytes, cpus_covered, cpus_wanted, together;
	uint32_t thinned, stack_bytes; /* 0 in files from before it was kept */
	double cpu_s, strangers_s;
};

struct sd_kept_block {
	uint32_t cpu, size;
	uint64_t base;
};

#endif
