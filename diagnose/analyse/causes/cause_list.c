#include "causes/cause_row.h"

#define GROWN (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER))
#define WORDS                                                                             \
	(SD_SEES_LOADS | SD_SEES_STORES | SD_SEES_INSIDE_CACHE | SD_SEES_BETWEEN_CACHES | \
		SD_SEES_BETWEEN_SOCKETS | SD_SEES_BETWEEN_THREADS)
#define TRAFFIC (SD_SEES_LOADS | SD_SEES_STORES | SD_SEES_PREFETCHES | SD_SEES_USER_CODE)
#define CODE (SD_SEES_USER_CODE | SD_SEES_KERNEL_CODE)

#define ROW(c, m) (&(const struct sd_cause_row){.components = (c), .mechanism = (m)})

const struct sd_cause_row *const sd_cause_row_list[SD_CAUSE_COUNT] = {
	[SD_CAUSE_MEMORY_BANDWIDTH] = ROW(GROWN | SD_BIT(CPI_BANDWIDTH), TRAFFIC),
	[SD_CAUSE_LLC_CAPACITY] = ROW(GROWN | SD_BIT(CPI_LLC), TRAFFIC),
	[SD_CAUSE_DTLB] = ROW(GROWN | SD_BIT(CPI_DTLB), SD_SEES_LOADS | SD_SEES_STORES),
	[SD_CAUSE_FALSE_SHARING] = ROW(GROWN | SD_BIT(CPI_SHARING), WORDS),
	[SD_CAUSE_TRUE_SHARING] = ROW(GROWN | SD_BIT(CPI_SHARING), WORDS),
	[SD_CAUSE_BUS_LOCKS] = &sd_cause_row_bus_locks,
	[SD_CAUSE_LOCK_CONTENTION] = &sd_cause_row_lock_contention,
	[SD_CAUSE_SERIAL_CODE] = &sd_cause_row_serial_code,
	[SD_CAUSE_LOAD_IMBALANCE] = &sd_cause_row_load_imbalance,
	[SD_CAUSE_BARRIER_OVERHEAD] = ROW(
		GROWN | SD_BIT(THREADS) | SD_BIT(IMBALANCE) | SD_BIT(SPINNING) | SD_BIT(SYSTEM) |
			SD_BIT(INSTRUCTIONS) | SD_BIT(SERIAL) | SD_BIT(RUN_QUEUE) | SD_BIT(LOCK),
		CODE),
	[SD_CAUSE_EXTRA_WORK] =
		ROW(SD_BIT(GROWTH) | SD_BIT(INSTRUCTIONS) | SD_BIT(SYSTEM), SD_SEES_USER_CODE),
	[SD_CAUSE_SPINNING] =
		ROW(GROWN | SD_BIT(SPINNING) | SD_BIT(INSTRUCTIONS), SD_SEES_USER_CODE),
	[SD_CAUSE_KERNEL_MEMORY] = &sd_cause_row_kernel_memory,
	[SD_CAUSE_ALLOCATOR] = &sd_cause_row_allocator,
	[SD_CAUSE_NUMA] = &sd_cause_row_numa,
	[SD_CAUSE_SMT] = &sd_cause_row_smt,
	[SD_CAUSE_FREQUENCY] = &sd_cause_row_frequency,
	[SD_CAUSE_CPU_QUOTA] = &sd_cause_row_cpu_quota,
	[SD_CAUSE_OVERSUBSCRIPTION] = &sd_cause_row_oversubscription,
	[SD_CAUSE_NOISE] = &sd_cause_row_noise,
	[SD_CAUSE_DISK] = &sd_cause_row_disk,
	[SD_CAUSE_MPI] = &sd_cause_row_mpi,
};
