/*
 * The log of the library preloaded into OpenMP programs (probes/openmp/preload): one file a
 * process, with a row for each parallel region. Its readers take it for untrusted bytes. Times are
 * ns; those of a region are sums over its entries, `elapsed` of the thread that enters it, the
 * others of all threads of its teams.
 */
#ifndef SD_OMP_LOG_H
#define SD_OMP_LOG_H

#include <stdint.h>

#define SD_OMP_LOG_MAGIC 0x31676f6c706d6f73ull /* "somplog1" on a little-endian machine */
#define SD_OMP_LOG_REGIONS 512u
#define SD_OMP_LOG_MODULES 32u

/* A call that is timed costs as much as this many that pass: two looks at the clock, of some 25 ns
 * each, where to pass takes 2 to 3. */
#define SD_OMP_LOG_TIMED 20u

struct sd_omp_region {
	uint64_t function; /* as the process knows it: the row is taken by it */
	uint64_t address;  /* of its code, in the file of the module, from its load address */
	uint32_t module;
	uint32_t ready;       /* the two above are there to stay */
	uint32_t least, most; /* threads of a team; least: 0 none yet */
	uint64_t entries, nested;
	uint64_t elapsed;
	uint64_t thread_ns; /* elapsed, times the threads of the team */
	uint64_t imbalance; /* waits for the last thread, at the end and at barriers */
	uint64_t barrier;   /* from the last one's arrival on, and from the entry to the start */
	uint64_t lock;
	uint64_t scheduling; /* asking for the next piece of a loop, making tasks */
	uint64_t serial;     /* before its entries, without a region open in the process */
	uint64_t tasks;
	uint64_t whole; /* entries whose waits could hold tasks that were not seen */
	uint64_t calls; /* of the runtime, as many as cost what they do (SD_OMP_LOG_TIMED) */
	/* CPU time of entries with tasks that were followed (omp_span.h) */
	uint64_t task_work, task_span, loop_span;
	uint64_t dependent, unspanned; /* entries that were not: for `depend`, for another reason */
};

struct sd_omp_log {
	uint64_t magic;
	uint32_t size_of_region, pid;
	uint32_t modules;
	uint32_t runtime; /* enum sd_omp_runtime */
	uint64_t no_row;  /* entries of regions without a row */
	uint64_t loaded;  /* CLOCK_MONOTONIC: when the process began */
	char module[SD_OMP_LOG_MODULES][256];
	struct sd_omp_region region[SD_OMP_LOG_REGIONS];
};

enum sd_omp_runtime { SD_OMP_LIBGOMP, SD_OMP_OMPT };

#endif
